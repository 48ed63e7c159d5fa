"""Runs a module with an object that takes a minute to free, as all objects together may on a busy machine."""

import runpy
import sys
import time


class SlowToFree:
    def __del__(self) -> None:
        time.sleep(60)


if __name__ == "__main__":
    kept = SlowToFree()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__")
