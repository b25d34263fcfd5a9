import BelfryStore
import Foundation

/// The wait of a single subject for a response of a push service (SEC-8). A process that is killed meanwhile was not
/// crashed by the subject, so the attempt counts only once there is a response, or none for too long.
struct ResponseWait: Sendable {
    /// After this many waits without an end the attempt counts anyway: a response may crash the process before it is
    /// passed on.
    private static let uncounted = 16

    let subject: WorkSubject
    let database: any SQLDatabase
    let environment: ServerEnvironment

    /// If the count cannot be written, the wait continues: a response is still expected.
    func callAsFunction<Output>(for answer: () async -> Output) async -> Output {
        guard await begin() else { return await answer() }
        async let _: Void = countAgain()
        return await answer()
    }

    private func begin() async -> Bool {
        let isUncounted = try? await database.write(turn: .unsynced) { [subject] connection in
            try connection.workAttempts.waits(subject, atMost: Self.uncounted)
        }
        return isUncounted == true
    }

    /// The end of the wait only cancels the rest of its time.
    private func countAgain() async {
        try? await environment.sleepUntil(environment.now().addingTimeInterval(AttemptRule.patience))
        try? await database.write(turn: .unsynced) { [subject] in try $0.workAttempts.endWait(subject) }
    }
}
