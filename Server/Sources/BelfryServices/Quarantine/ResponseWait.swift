import BelfryStore
import Foundation

/// The wait of something that was begun alone for an answer of a push service (SEC-8). A process that is killed meanwhile
/// was not ended by what waits, so the attempt is not counted before the answer is there, or too long in coming.
struct ResponseWait: Sendable {
    /// After so many waits without an end it is counted all the same: an answer may end the process before it is handed
    /// over.
    private static let uncounted = 16

    let subject: WorkSubject
    let database: any SQLDatabase
    let environment: ServerEnvironment

    /// Where the count cannot be written, the wait is not disturbed: what was sent has an answer to come.
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

    /// The end of the wait cancels no more than the rest of its time.
    private func countAgain() async {
        try? await environment.sleepUntil(environment.now().addingTimeInterval(AttemptRule.patience))
        try? await database.write(turn: .unsynced) { [subject] in try $0.workAttempts.endWait(subject) }
    }
}
