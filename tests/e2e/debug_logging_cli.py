"""The program with every library logging at DEBUG into the file that TALK names."""

import logging
import os
import sys

from gui.__main__ import main

if __name__ == "__main__":
    logging.basicConfig(filename=os.environ["TALK"], level=logging.DEBUG)
    sys.exit(main())
