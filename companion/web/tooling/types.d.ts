/** Short names, known in every script, for the types that api.d.ts takes from the app's OpenAPI document. */
import type { components, paths } from "./api.js";

type Schemas = components["schemas"];
type NameOf<Path> = Path extends `/api/${infer Name}` ? Name : never;
type Answer<Operation> = Operation extends {
  responses: { 200: { content: { "application/json": infer Json } } };
}
  ? Json
  : never;
type Body<Operation> = Operation extends { requestBody?: { content: { "application/json"?: infer Json } } }
  ? Exclude<Json, undefined>
  : Record<string, never>;

declare global {
  type State = Schemas["StateJson"];
  type GameNight = Schemas["EveningJson"];
  type Access = Schemas["AccessJson"];
  type CameraControl = Schemas["CameraControlJson"];
  type Camera = Schemas["CameraStateJson"];
  type CameraPictures = Schemas["CameraPicturesJson"];
  type Dealing = Schemas["DealingJson"];
  type Edition = Schemas["EditionJson"];
  type EditionChoice = Schemas["EditionChoiceJson"];
  type Examples = Schemas["ExamplesJson"];
  type Fault = Schemas["FaultJson"];
  type Fix = Schemas["FixJson"];
  type Grouping = Schemas["GroupingJson"];
  type HistoryItem = Schemas["HistoryItemJson"];
  type Move = Schemas["MoveJson"];
  type PlayStep = Schemas["PlayStepJson"];
  type PossibleTurn = Schemas["PossibleTurnJson"];
  type PlaceOnMap = Schemas["PlaceOnMapJson"];
  type Player = Schemas["PlayerJson"];
  type Question = Schemas["QuestionJson"];
  type Reading = Schemas["ReadingJson"];
  type ReadTile = Schemas["ReadTileJson"];
  type Rule = Schemas["RuleJson"];
  type Scan = Schemas["ScanJson"];
  type Sources = Schemas["SourcesJson"];
  type Starting = Schemas["StartingJson"];
  type Tile = Schemas["TileJson"];
  type Verdict = Schemas["VerdictJson"];

  /** The sentences of this script in the language of the page, by their English; plural forms as a list. */
  const catalogue: Record<string, string | string[]>;

  /** The name under which the service worker keeps its page; the app puts it in front of that script. */
  const CACHE: string;
  /** What the service worker uses of `ServiceWorkerGlobalScope`, which the types of pages leave out. */
  interface OfflineWorker {
    addEventListener(
      type: "install" | "activate",
      listener: (event: { waitUntil(until: Promise<unknown>): void }) => void,
    ): void;
    addEventListener(
      type: "fetch",
      listener: (event: { request: Request; respondWith(response: Promise<Response>): void }) => void,
    ): void;
    skipWaiting(): Promise<void>;
    clients: { claim(): Promise<void> };
  }

  /** What a camera's track offers by the standard MediaStream Image Capture, which TypeScript leaves out. */
  interface MediaTrackCapabilities {
    focusMode?: string[];
    exposureMode?: string[];
    whiteBalanceMode?: string[];
    focusDistance?: { min: number; max: number };
    exposureTime?: { min: number; max: number };
    iso?: { min: number; max: number };
    colorTemperature?: { min: number; max: number };
  }
  interface CameraSettings {
    focusMode?: string;
    exposureMode?: string;
    whiteBalanceMode?: string;
    focusDistance?: number;
    exposureTime?: number;
    iso?: number;
    colorTemperature?: number;
  }
  interface MediaTrackConstraintSet extends CameraSettings {}
  interface MediaTrackSettings extends CameraSettings {}

  /** A point in pixels, `[x, y]`. */
  type Point = number[];
  /** The corners of a tile, clockwise from its own top left. */
  type Quad = Point[];

  /** What can be fetched from `/api/…`, and what each answers. */
  type GetName = NameOf<{ [Path in keyof paths]: paths[Path] extends { get: object } ? Path : never }[keyof paths]>;
  type Fetched<Name extends GetName> = Answer<paths[`/api/${Name}`]["get"]>;

  /** What can be posted to `/api/…`, with which body, and what each answers. */
  type PostName = NameOf<{ [Path in keyof paths]: paths[Path] extends { post: object } ? Path : never }[keyof paths]>;
  type PostBody<Name extends PostName> = Body<paths[`/api/${Name}`]["post"]>;
  type Posted<Name extends PostName> = Answer<paths[`/api/${Name}`]["post"]>;

  /** The actions of a game night, `POST /api/evening/…`; the store adds the revision to their bodies. */
  type ActionName = PostName extends infer Name ? (Name extends `evening/${infer Action}` ? Action : never) : never;
  type ActionBody<Action extends ActionName> = Omit<PostBody<`evening/${Action}`>, "revision">;

  /** What may stand between the tags of an element; null, undefined and false are left out. */
  type Child = Node | string | null | undefined | false;
  type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => unknown)>;
}
