import BelfryModel
import Foundation

/// A rate limit in virtual time (CON-12): the moments at which a message may be sent, and which of them are taken. The
/// moments are those that `RateAllowance` gives to a sender that asks again as early as possible: the first at the
/// launch, each next one a share of a second later.
///
/// Taken moments follow each other, so they are stored as a few runs, however many they are.
struct RehearsedRate: Sendable {
    private let perSecond: Int64
    private let start: Int64
    /// The numbers of the taken moments as runs: sorted, and no two adjacent.
    private(set) var taken: [Range<Int64>] = []

    /// - Parameter start: the time of the launch.
    init(perSecond: Int, start: Date) {
        self.perSecond = Int64(max(perSecond, 1))
        self.start = start.milliseconds
    }

    /// The first free moment from a date on.
    func free(from date: Date) -> Date {
        let number = number(from: date)
        let index = firstRun(endingAfter: number)
        guard index < taken.count, taken[index].contains(number) else { return max(moment(number), date) }
        return max(moment(taken[index].upperBound), date)
    }

    /// Takes the moment of a message that is sent. The date comes from ``free(from:)``.
    mutating func take(_ date: Date) {
        var number = number(from: date)
        var index = firstRun(endingAfter: number)
        if index < taken.count, taken[index].contains(number) { number = taken[index].upperBound }
        // A run that ends at this number grows, and is joined with the next one if they touch.
        if index < taken.count, taken[index].upperBound == number {
            taken[index] = taken[index].lowerBound..<(number + 1)
        } else if index > 0, taken[index - 1].upperBound == number {
            index -= 1
            taken[index] = taken[index].lowerBound..<(number + 1)
        } else {
            taken.insert(number..<(number + 1), at: index)
        }
        guard index + 1 < taken.count, taken[index].upperBound == taken[index + 1].lowerBound else { return }
        taken[index] = taken[index].lowerBound..<taken[index + 1].upperBound
        taken.remove(at: index + 1)
    }

    /// The index of the first run that ends after a number.
    private func firstRun(endingAfter number: Int64) -> Int {
        var (low, high) = (0, taken.count)
        while low < high {
            let middle = (low + high) / 2
            if taken[middle].upperBound > number { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func number(from date: Date) -> Int64 {
        let after = date.milliseconds - start
        guard after > 0 else { return 0 }
        // A moment is the millisecond in which its share of the seconds has passed.
        let (whole, isTooMuch) = (after - 1).multipliedReportingOverflow(by: perSecond)
        return isTooMuch ? .max / 2 : whole / 1_000 + 1
    }

    private func moment(_ number: Int64) -> Date {
        let (whole, isTooMuch) = number.multipliedReportingOverflow(by: 1_000)
        return Date(milliseconds: start + (isTooMuch ? .max / 2 : whole + perSecond - 1) / perSecond)
    }
}
