"""python -m bench"""

from bench.command import bench

bench(prog_name="python -m bench")
