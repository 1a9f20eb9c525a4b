"""A stand-in for a simulator: reads one JSON line, prints one.

In:  {"point": {"x": 0.3, "y": 0.7}, "fidelity": "coarse", "level": 1, "task": "monday",
      "task_number": 1, "trial": 0, "seed": 123, "attempt": 1}
Out: {"value": 0.42}  or  {"error": "why it could not be evaluated"}
"""

import json
import math

request = json.loads(input())
x, y = request["point"]["x"], request["point"]["y"]

# The valley moves a little from task to task; the coarse simulator is slightly off.
centre = (55 + 5 * request["task_number"]) / 100
value = (x - centre) ** 2 + (y - 0.3 - 0.2 * x) ** 2
if request["fidelity"] == "coarse":
    value += 0.05 * math.sin(7 * x + 3 * y)

print(json.dumps({"value": value}))
