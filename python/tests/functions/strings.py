"""Strings: scanning, counting, transforming, codes."""

from .kinds import *

VOWELS = "aeiou"


def reverse_text(s: Text):
    return s[::-1]


def is_palindrome(s: Word):
    return s == s[::-1]


def is_palindrome_loose(s: Text):
    t = [c.lower() for c in s if c.isalnum()]
    return t == t[::-1]


def count_vowels(s: Text):
    return sum(1 for c in s.lower() if c in VOWELS)


def remove_vowels(s: Text):
    return "".join(c for c in s if c.lower() not in VOWELS)


def caesar(s: Text, k: Nat):
    out = ""
    for c in s:
        if c.islower():
            out += chr((ord(c) - ord("a") + k) % 26 + ord("a"))
        elif c.isupper():
            out += chr((ord(c) - ord("A") + k) % 26 + ord("A"))
        else:
            out += c
    return out


def rot13(s: Text):
    def turn(c):
        if "a" <= c <= "z":
            return chr((ord(c) - 97 + 13) % 26 + 97)
        if "A" <= c <= "Z":
            return chr((ord(c) - 65 + 13) % 26 + 65)
        return c

    return "".join(map(turn, s))


def atbash(s: Word):
    return "".join(chr(219 - ord(c)) for c in s)


def word_count(s: Text):
    return len(s.split())


def word_lengths(s: Text):
    return [len(w) for w in s.split()]


def longest_word(s: Text):
    return max(s.split(), key=len, default="")


def capitalize_words(s: Text):
    return " ".join(w[0].upper() + w[1:] for w in s.split())


def acronym(s: Text):
    return "".join(w[0] for w in s.split()).upper()


def reverse_words(s: Text):
    return " ".join(reversed(s.split()))


def run_length_encode(s: Word):
    out = ""
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out += s[i] + str(j - i)
        i = j
    return out


def run_length_decode(pairs: Pairs):
    return "".join("abc"[v % 3] * n for v, n in pairs)


def is_balanced(s: Brackets):
    stack = []
    for c in s:
        if c in "([{":
            stack.append(c)
        else:
            if not stack:
                return False
            top = stack.pop()
            if (top, c) not in [("(", ")"), ("[", "]"), ("{", "}")]:
                return False
    return not stack


def max_depth(s: Brackets):
    depth = best = 0
    for c in s:
        if c == "(":
            depth += 1
            best = max(best, depth)
        elif c == ")":
            depth -= 1
    return best


def is_anagram(a: Word, b: Word):
    return sorted(a) == sorted(b)


def letter_counts(s: Word):
    return [s.count(c) for c in "abc"]


def char_histogram(s: Word):
    counts = [0] * 26
    for c in s:
        counts[ord(c) - ord("a")] += 1
    return counts


def most_frequent_char(s: Word):
    best = ""
    times = 0
    for c in s:
        n = s.count(c)
        if n > times:
            best, times = c, n
    return best


def first_unique_char(s: Word):
    for i, c in enumerate(s):
        if s.count(c) == 1:
            return i
    return -1


def common_prefix(a: Word, b: Word):
    i = 0
    while i < min(len(a), len(b)) and a[i] == b[i]:
        i += 1
    return a[:i]


def longest_common_prefix(words: SomeWords):
    prefix = words[0]
    for w in words[1:]:
        while not w.startswith(prefix):
            prefix = prefix[:-1]
    return prefix


def count_substring(s: Word, t: Word):
    return sum(1 for i in range(len(s) - len(t) + 1) if s[i : i + len(t)] == t)


def find_all(s: Word, t: Word):
    return [i for i in range(len(s)) if s.startswith(t, i)]


def naive_find(s: Word, t: Word):
    for i in range(len(s) - len(t) + 1):
        match = True
        for j in range(len(t)):
            if s[i + j] != t[j]:
                match = False
                break
        if match:
            return i
    return -1


def kmp_table(s: Word):
    fail = [0] * len(s)
    k = 0
    for i in range(1, len(s)):
        while k > 0 and s[i] != s[k]:
            k = fail[k - 1]
        if s[i] == s[k]:
            k += 1
        fail[i] = k
    return fail


def z_function(s: Word):
    n = len(s)
    z = [0] * n
    l = r = 0
    for i in range(1, n):
        if i < r:
            z[i] = min(r - i, z[i - l])
        while i + z[i] < n and s[z[i]] == s[i + z[i]]:
            z[i] += 1
        if i + z[i] > r:
            l, r = i, i + z[i]
    return z


def is_subsequence(a: Word, b: Word):
    i = 0
    for c in b:
        if i < len(a) and a[i] == c:
            i += 1
    return i == len(a)


def is_rotation(a: Word, b: Word):
    return len(a) == len(b) and b in a + a


def hamming_distance(a: Word, b: Word):
    return sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))


def parse_int(s: Digits):
    n = 0
    for c in s:
        n = n * 10 + int(c)
    return n


def digits_of(n: Nat):
    return [int(c) for c in str(n)]


def sum_of_digits(s: Digits):
    return sum(int(c) for c in s)


def luhn(s: Digits):
    total = 0
    for i, c in enumerate(reversed(s)):
        d = ord(c) - 48
        if i % 2 == 1:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0


def to_hex(n: Nat):
    if n == 0:
        return "0"
    out = ""
    while n > 0:
        out = "0123456789abcdef"[n % 16] + out
        n //= 16
    return out


def to_base(n: Nat, b: Small):
    if b < 2:
        return str(n)
    digits = []
    while n:
        digits.append(str(n % b))
        n //= b
    return "".join(digits[::-1]) or "0"


def from_roman(k: Nat):
    s = "XIV" * (k % 3) + "II"
    values = [1 if c == "I" else 5 if c == "V" else 10 for c in s]
    return sum(-v if i + 1 < len(values) and v < values[i + 1] else v for i, v in enumerate(values))


def to_roman(n: Pos):
    out = ""
    for value, letters in [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= value:
            out += letters
            n -= value
    return out


def fizzbuzz(n: Nat):
    return ["FizzBuzz" if i % 15 == 0 else "Fizz" if i % 3 == 0 else "Buzz" if i % 5 == 0 else str(i) for i in range(1, n + 1)]


def swap_case(s: Text):
    return "".join(c.upper() if c.islower() else c.lower() for c in s)


def title_and_strip(s: Text):
    return s.strip().upper()


def split_commas(s: Text):
    return [part.strip() for part in s.split(",")]


def join_numbers(a: Ints):
    return ", ".join(str(x) for x in a)


def replace_spaces(s: Text):
    return s.replace(" ", "%20")


def squeeze_spaces(s: Text):
    out = []
    for c in s:
        if c != " " or (out and out[-1] != " "):
            out.append(c)
    return "".join(out)


def pad_numbers(a: Nats):
    return [str(x).zfill(3) for x in a]


def left_right(s: Word):
    return s.ljust(8, ".") + s.rjust(8)


def describe(n: Int):
    return f"{n} is {'negative' if n < 0 else 'even' if n % 2 == 0 else 'odd'}"


def table_line(name: Word, n: Nat):
    return f"{name:<8}|{n:>4}|{n:03d}"


def price(x: PosReal):
    return f"{x:.2f} EUR"


def is_isogram(s: Word):
    return len(set(s)) == len(s)


def pangram_missing(s: Text):
    low = s.lower()
    return "".join(c for c in "abcdef" if c not in low)


def sort_by_length(words: Words):
    return sorted(words, key=lambda w: (len(w), w))


def unique_words(words: Words):
    return sorted(set(words))


def longest_palindrome(s: Word):
    best = ""
    for i in range(len(s)):
        for j in range(i + 1, len(s) + 1):
            t = s[i:j]
            if t == t[::-1] and len(t) > len(best):
                best = t
    return best


def char_gaps(s: Word):
    return [abs(ord(x) - ord(y)) for x, y in zip(s, s[1:])]


def vowel_words(words: Words):
    return [w for w in words if w and w[0] in "aeiou"]


def checksum(s: Text):
    h = 0
    for c in s:
        h = (h * 31 + ord(c)) % 1000003
    return h


def csv_ints(a: Ints):
    line = ",".join([str(x) for x in a])
    return [int(part) for part in line.split(",") if part]


def zigzag(s: Word, rows: Small):
    if rows <= 1:
        return s
    period = 2 * rows - 2
    out = []
    for r in range(rows):
        for i, c in enumerate(s):
            m = i % period
            if m == r or period - m == r:
                out.append(c)
    return "".join(out)
