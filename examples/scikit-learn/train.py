"""Error of a support vector machine: one JSON line in, one out."""

import json

import numpy
from sklearn import datasets
from sklearn.svm import SVC

request = json.loads(input())
point, share = request["point"], {"a quarter": 0.25, "all": 1.0}[request["fidelity"]]
x, y = getattr(datasets, "load_" + request["task"])(return_X_y=True)
x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-9)

# Five times: a random half to train on, or a part of it, and the other half to test.
errors = []
for split in range(5):
    order = numpy.random.default_rng(split).permutation(len(y))
    train, test = order[: len(y) // 2], order[len(y) // 2 :]
    train = train[: max(int(share * len(train)), 3 * len(set(y)))]
    if len(set(y[train])) < 2:
        print(json.dumps({"error": "the part of the training set has one class only"}))
        raise SystemExit
    model = SVC(C=point["C"], gamma=point["gamma"]).fit(x[train], y[train])
    errors.append(float(numpy.mean(model.predict(x[test]) != y[test])))
print(json.dumps({"value": sum(errors) / len(errors)}))
