"""python -m examples.demo"""

from examples.demo import demo

demo(prog_name="python -m examples.demo")
