"""Public value types: frozen dataclasses that cross the boundaries between folders."""

# Everything these modules define is public.
from mnemic.types.access import *
from mnemic.types.context import *
from mnemic.types.extensions import *
from mnemic.types.ledger import *
from mnemic.types.literals import *
from mnemic.types.memory import *
from mnemic.types.operations import *
from mnemic.types.safe import *
