// Still pictures at the largest useful resolution: a photo of the camera, or else the largest video frame.

// The app shrinks larger pictures before it reads them.
const USEFUL_PX = 12_000_000;
// Some phones never answer while another app uses the camera.
const LONGEST_PHOTO_MS = 4000;
const LARGER_WITHIN_MS = 1500;
const QUALITY = 0.9;

const canvas = document.createElement("canvas");

/**
 * @param {MediaStreamTrack} track
 * @param {HTMLVideoElement} video
 * @param {MediaTrackConstraints} size of the video, which is restored afterwards
 * @returns {Promise<Blob>}
 */
export async function takeStill(track, video, size) {
  try {
    return await within(LONGEST_PHOTO_MS, takePhoto(track));
  } catch {
    return takeLargestFrame(track, video, size);
  }
}

/** @param {MediaStreamTrack} track */
async function takePhoto(track) {
  const camera = new ImageCapture(track);
  const { imageWidth: width, imageHeight: height } = await camera.getPhotoCapabilities();
  if (!width?.max || !height?.max) return camera.takePhoto();
  const share = Math.min(1, Math.sqrt(USEFUL_PX / (width.max * height.max)));
  return camera.takePhoto({
    imageWidth: Math.floor(share * width.max),
    imageHeight: Math.floor(share * height.max),
  });
}

/**
 * @param {MediaStreamTrack} track
 * @param {HTMLVideoElement} video
 * @param {MediaTrackConstraints} size
 */
async function takeLargestFrame(track, video, size) {
  const { width, height } = track.getCapabilities?.() ?? {};
  const isLarger = (width?.max ?? 0) > video.videoWidth || (height?.max ?? 0) > video.videoHeight;
  try {
    if (isLarger) {
      const resized = new Promise((resolve) => video.addEventListener("resize", resolve, { once: true }));
      await track.applyConstraints({ width: { ideal: width?.max }, height: { ideal: height?.max } });
      await within(LARGER_WITHIN_MS, resized).catch(() => {});
    }
    return await frame(video, QUALITY);
  } finally {
    if (isLarger) await track.applyConstraints(size);
  }
}

/**
 * @param {HTMLVideoElement} video
 * @param {number} quality from 0 to 1
 * @returns {Promise<Blob>} the current frame as JPEG
 */
export async function frame(video, quality) {
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d", { alpha: false })?.drawImage(video, 0, 0);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/jpeg", quality),
  );
}

/**
 * @template T
 * @param {number} ms
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
const within = (ms, promise) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error("too slow")), ms))]);
