"""`python -m ar_assist` is `ar-assist`."""

import sys

from ar_assist.cli import main

sys.exit(main())
