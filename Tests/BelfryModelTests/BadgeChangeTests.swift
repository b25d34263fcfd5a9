import BelfryModel
import Foundation
import Testing

struct BadgeChangeTests {
    private static let maximum = 99

    @Test(
        "BADGE-1: a campaign increments, sets or clears, and never goes above the maximum",
        arguments: [
            (BadgeChange(op: .increment), 3, 4), (BadgeChange(op: .increment, value: 5), 3, 8),
            (BadgeChange(op: .increment, value: 5), 97, 99), (BadgeChange(op: .increment, value: .max), 1, 99),
            (BadgeChange(op: .set, value: 7), 50, 7), (BadgeChange(op: .set, value: 100), 0, 99),
            (BadgeChange(op: .set, value: 0), 50, 0), (BadgeChange(op: .set), 50, 0), (BadgeChange(op: .clear), 50, 0),
            // The maximum was lowered since.
            (BadgeChange(op: .increment), 400, 99), (BadgeChange(op: .set, value: -3), 5, 0),
            (BadgeChange(op: .increment, value: -9), 5, 0),
        ]
    )
    func apply(change: BadgeChange, before: Int, after: Int) {
        #expect(change.apply(to: before, maximum: Self.maximum) == after)
    }

    @Test("BADGE-1: a change is written as it was read")
    func json() throws {
        let texts = [#"{"op":"clear"}"#, #"{"op":"increment","value":2}"#, #"{"op":"set","value":0}"#]
        for text in texts {
            let change = try JSONDecoder().decode(BadgeChange.self, from: Data(text.utf8))
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            #expect(String(decoding: try encoder.encode(change), as: UTF8.self) == text)
        }
    }
}
