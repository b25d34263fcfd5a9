import BelfryModel
import Foundation

/// A rate limit in virtual time (CON-12): which of the moments at which a message may leave are taken. They lie as
/// `RateAllowance` gives them to whoever asks again as soon as it may: the first at the launch, the next one share of a
/// second later.
///
/// Taken moments follow each other, so few runs of them are kept however many they are.
struct RehearsedRate: Sendable {
    private let perSecond: Int64
    private let start: Int64
    /// Numbers of the moments that are taken: sorted, and no two touch.
    private(set) var taken: [Range<Int64>] = []

    /// - Parameter start: the launch.
    init(perSecond: Int, start: Date) {
        self.perSecond = Int64(max(perSecond, 1))
        self.start = start.milliseconds
    }

    /// The first moment from a date on at which a message may leave.
    func free(from date: Date) -> Date {
        let number = number(from: date)
        let index = firstRun(endingAfter: number)
        guard index < taken.count, taken[index].contains(number) else { return max(moment(number), date) }
        return max(moment(taken[index].upperBound), date)
    }

    /// A message leaves at a moment of ``free(from:)``.
    mutating func take(_ date: Date) {
        var number = number(from: date)
        var index = firstRun(endingAfter: number)
        if index < taken.count, taken[index].contains(number) { number = taken[index].upperBound }
        // The run that ends there, if there is one, grows; and joins the next one when they touch.
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

    /// The place of the first run that ends behind a number.
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
        // A moment is the millisecond in which its share of the seconds is over.
        let (whole, isTooMuch) = (after - 1).multipliedReportingOverflow(by: perSecond)
        return isTooMuch ? .max / 2 : whole / 1_000 + 1
    }

    private func moment(_ number: Int64) -> Date {
        let (whole, isTooMuch) = number.multipliedReportingOverflow(by: 1_000)
        return Date(milliseconds: start + (isTooMuch ? .max / 2 : whole + perSecond - 1) / perSecond)
    }
}
