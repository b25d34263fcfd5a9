/// Splits row numbers into runs, since a statement finds a run by its ends more cheaply than each number by itself.
enum NumberRuns {
    /// A shorter run costs more than its numbers in a list with others.
    static let shortest = 16

    /// The runs without a gap, and the numbers that belong to no run. A run contains only given numbers.
    static func split(_ numbers: [Int64]) -> (runs: [ClosedRange<Int64>], others: [Int64]) {
        let numbers = numbers.sorted()
        var runs: [ClosedRange<Int64>] = []
        var others: [Int64] = []
        var start = numbers.startIndex
        while start < numbers.endIndex {
            var end = start + 1
            while end < numbers.endIndex, numbers[end] == numbers[end - 1] + 1 { end += 1 }
            if end - start >= shortest {
                runs.append(numbers[start]...numbers[end - 1])
            } else {
                others += numbers[start..<end]
            }
            start = end
        }
        return (runs, others)
    }
}
