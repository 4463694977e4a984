"""Kinds of inputs: annotations of parameters, from which the tests draw values.

A kind is an annotated type; its note names the range or the form of the values. Functions of the list are otherwise plain Python.
"""

from typing import Annotated

Int = Annotated[int, "int", -20, 20]
Nat = Annotated[int, "int", 0, 30]
Small = Annotated[int, "int", 0, 7]
Pos = Annotated[int, "int", 1, 60]
Big = Annotated[int, "int", -(10**6), 10**6]
Real = Annotated[float, "float", -10.0, 10.0]
PosReal = Annotated[float, "float", 0.1, 10.0]
Bool = Annotated[bool, "bool"]
Ints = Annotated[list[int], "list", Int]
Nats = Annotated[list[int], "list", Nat]
Reals = Annotated[list[float], "list", Real]
PosReals = Annotated[list[float], "list", PosReal]
Bools = Annotated[list[bool], "list", Bool]
Sorted = Annotated[list[int], "sorted"]
Some = Annotated[list[int], "list1", Int]
SomeReals = Annotated[list[float], "list1", Real]
Rows = Annotated[list[list[int]], "list", Ints]
RealRows = Annotated[list[list[float]], "list", Reals]
Grid = Annotated[list[list[int]], "grid", Int]
Square = Annotated[list[list[float]], "square"]
Graph = Annotated[list[list[int]], "graph"]
Dag = Annotated[list[list[int]], "dag"]
Word = Annotated[str, "text", "abcab"]
Text = Annotated[str, "text", "ab Cd,eF  1.x"]
Digits = Annotated[str, "digits"]
Brackets = Annotated[str, "text", "()[]{}"]
Words = Annotated[list[str], "list", Word]
SomeWords = Annotated[list[str], "list1", Word]
Pairs = Annotated[list[tuple[int, int]], "pairs"]
Intervals = Annotated[list[tuple[int, int]], "intervals"]
Points = Annotated[list[tuple[float, float]], "points"]
