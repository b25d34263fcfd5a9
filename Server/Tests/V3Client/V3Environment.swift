import Foundation

/// The client's source of time and ids.
package struct V3Environment: Sendable {
    let now: @Sendable () -> Date
    let uuid: @Sendable () -> String
    /// The client pauses for half a second before it repeats a call with a new token.
    let pause: @Sendable (Duration) async -> Void

    package init(
        now: @escaping @Sendable () -> Date, uuid: @escaping @Sendable () -> String,
        pause: @escaping @Sendable (Duration) async -> Void
    ) {
        self.now = now
        self.uuid = uuid
        self.pause = pause
    }

    var milliseconds: Int64 { Int64((now().timeIntervalSince1970 * 1000).rounded(.down)) }

    /// `2026-11-21T12:00:00.123Z`
    var timestamp: String { Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(now()) }
}
