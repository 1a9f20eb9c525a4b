"""Sum rate of two radio cells under open-loop power control: one JSON line in, one out."""

import json
import math
import random

USERS, ANTENNAS = 20, 64
LARGEST_RATE, LARGEST_POWER = 5.5547, 23.0  # bit/s/Hz, dBm
NOISE = 10 ** ((-174 + 10 * math.log10(9.36e6) + 5) / 10)  # mW
STATIONS = [(-100.0, 0.0), (100.0, 0.0)]


def cell(user):
    return 0 if user < USERS // 2 else 1


def distance(place, station):
    return math.dist(place, STATIONS[station])


def legal(place, user):
    own, other = distance(place, cell(user)), distance(place, 1 - cell(user))
    return 10 <= own <= 200 and own <= other


def places(day):
    """Where the users are: drawn on the first day, then each walks at most 10 m a day."""
    stream = random.Random(1)
    found = []
    for user in range(USERS):
        while True:
            x, y = STATIONS[cell(user)]
            radius, angle = stream.uniform(10, 200), stream.uniform(0, 2 * math.pi)
            place = (x + radius * math.cos(angle), y + radius * math.sin(angle))
            if legal(place, user):
                found.append(place)
                break
    for _ in range(day - 1):
        for user, (x, y) in enumerate(found):
            radius, angle = 10 * math.sqrt(stream.random()), stream.uniform(0, 2 * math.pi)
            moved = (x + radius * math.cos(angle), y + radius * math.sin(angle))
            found[user] = moved if legal(moved, user) else (x, y)
    return found


def path_loss(place, station):
    """3GPP TS 38.901, urban micro cells without line of sight, 3.5 GHz, in dB."""
    height = 10 - 1.5
    return 22.4 + 35.3 * math.log10(math.hypot(distance(place, station), height)) + 21.3 * math.log10(3.5)


def sum_rate(settings, day, samples):
    losses = [[path_loss(place, station) for station in (0, 1)] for place in places(day)]
    power = []
    for user in range(USERS):
        base, alpha = settings[cell(user)]
        dbm = min(LARGEST_POWER, base + 10 * math.log10(52) + alpha * losses[user][cell(user)])
        power.append(10 ** (dbm / 10))
    # What arrives of user j when the station combines its antennas for user k.
    arriving = [[power[j] * 10 ** (-losses[j][cell(k)] / 10) for j in range(USERS)] for k in range(USERS)]
    stream = random.Random(1000 + day)  # the first samples are the same at every fidelity
    total = 0.0
    for _ in range(samples):
        for k in range(USERS):
            wanted = arriving[k][k] * stream.gammavariate(ANTENNAS, 1)
            others = sum(arriving[k][j] * stream.expovariate(1) for j in range(USERS) if j != k)
            total += min(LARGEST_RATE, math.log2(1 + wanted / (others + NOISE)))
    return total / samples


request = json.loads(input())
point = request["point"]
settings = [(point["p0_0"], point["alpha_0"]), (point["p0_1"], point["alpha_1"])]
samples = int(request["fidelity"].split()[0])
print(json.dumps({"value": sum_rate(settings, request["task_number"], samples)}))
