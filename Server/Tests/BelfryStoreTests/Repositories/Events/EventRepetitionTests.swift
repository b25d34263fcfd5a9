import BelfryModel
import BelfryStore
import Foundation
import Testing

struct EventRepetitionTests {
    private static func moment(_ text: String) throws -> Date { try #require(Timestamp.date("2026-11-\(text)Z")) }

    /// The week is that from 23 to 29 November.
    @Test(
        "EVT-3: a first copy is asked for where it may have been received in another week, and only there",
        arguments: [
            // As it is most of the time.
            ("25T10:00:00", "25T10:00:00", "25T10:00:01", false),
            ("23T00:10:00", "23T00:10:00", "29T12:00:00", false),
            // The device was offline.
            ("23T00:09:59.999", "23T00:09:59.999", "25T10:00:00", true),
            ("12T10:00:00", "12T10:00:00", "25T10:00:00", true),
            // Another process may count the next week already.
            ("29T23:49:00", "29T23:49:00", "29T23:49:59.999", false),
            ("29T23:49:00", "29T23:49:00", "29T23:50:00", true),
            ("30T00:00:00", "30T00:00:00", "30T00:00:01", true),
            // A clock that was behind may have been right before, and the other way round.
            ("20T10:00:00", "25T10:00:00", "25T10:00:01", true),
            ("26T10:00:00", "22T10:00:00", "25T10:00:01", true),
            ("28T10:00:00", "25T10:00:00", "25T10:00:01", false),
            // It was wrong, and nobody corrected it.
            ("25T10:10:01", "25T10:10:01", "25T10:00:01", false),
            ("25T10:10:01.001", "25T10:10:01.001", "25T10:00:01", true),
        ]
    )
    func isAsked(deviceAt: String, at: String, receivedAt: String, expected: Bool) throws {
        let isAsked = EventRepetition.mayBeOfAnotherWeek(
            deviceAt: try Self.moment(deviceAt), at: try Self.moment(at), receivedAt: try Self.moment(receivedAt)
        )
        #expect(isAsked == expected)
    }
}
