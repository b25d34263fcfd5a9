import NIOCore
import Synchronization

/// Answers that come in pieces, in their order.
final class AnswerQueue: Sendable {
    private let bytes = Mutex(ByteBuffer())

    func add(_ data: IOData) {
        guard case .byteBuffer(var piece) = data else { return }
        bytes.withLock { bytes in
            _ = bytes.writeBuffer(&piece)
        }
    }

    /// The first answer, if it is whole.
    func take() -> WireAnswer? {
        bytes.withLock { WireAnswer(takingFrom: &$0) }
    }

    /// Every answer that is whole.
    func takeAll() -> [WireAnswer] {
        var answers: [WireAnswer] = []
        while let answer = take() { answers.append(answer) }
        return answers
    }
}
