import BelfryModel
import Foundation

/// The moment at which something is explained, and how its sentence tells other moments: programs read them in UTC,
/// people by the clocks of their app's zone (CON-9, CON-11).
struct ExplanationClock: Sendable {
    let now: Date
    let text: @Sendable (Date) -> String

    init(now: Date, text: @escaping @Sendable (Date) -> String = { Timestamp.text($0) }) {
        self.now = now
        self.text = text
    }
}
