import BelfryPush
import NIOCore

/// The requests of one `send`, kept until the last of them has ended.
final class PushBatch: Sendable {
    let requests: [PushRequest]
    /// None stands for the pool's request time-out, counted from when the event loop takes the batch.
    let deadline: NIODeadline?
    let onAnswer: @Sendable (_ index: Int, _ result: PushResult) -> Void

    init(
        requests: [PushRequest],
        deadline: NIODeadline?,
        onAnswer: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        self.requests = requests
        self.deadline = deadline
        self.onAnswer = onAnswer
    }
}

/// A request whose result is known and has yet to be handed over.
struct EndedRequest {
    let batch: PushBatch
    let index: Int
    let result: PushResult
}
