import Foundation

/// Time, randomness and ids, and what operators permit to devices, as the composition root gives them.
package struct ServerEnvironment: Sendable {
    package var now: @Sendable () -> Date
    /// Cryptographically secure bytes.
    package var randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// In 0..<1, for jitter.
    package var jitter: @Sendable () -> Double
    package var uuid: @Sendable () -> UUID
    /// Returns when the date is reached; throws when the task is cancelled.
    package var sleepUntil: @Sendable (Date) async throws -> Void
    /// Which push tokens are taken from devices.
    package var pushTokens = PushTokenRule()
    /// Whether a device may make a contact by what it registers (SEC-9).
    package var newContacts = NewContactRule()
    /// Whether a receipt may name what was rejected of a registration (SEC-9).
    package var receipts = ReceiptBudget()

    package init(
        now: @escaping @Sendable () -> Date,
        randomBytes: @escaping @Sendable (Int) -> [UInt8],
        jitter: @escaping @Sendable () -> Double,
        uuid: @escaping @Sendable () -> UUID,
        sleepUntil: @escaping @Sendable (Date) async throws -> Void
    ) {
        self.now = now
        self.randomBytes = randomBytes
        self.jitter = jitter
        self.uuid = uuid
        self.sleepUntil = sleepUntil
    }
}
