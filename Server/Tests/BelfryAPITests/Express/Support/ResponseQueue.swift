import NIOCore
import Synchronization

/// Answers that come in pieces, in their order.
final class ResponseQueue: Sendable {
    private let bytes = Mutex(ByteBuffer())

    func add(_ data: IOData) {
        guard case .byteBuffer(var piece) = data else { return }
        bytes.withLock { bytes in
            _ = bytes.writeBuffer(&piece)
        }
    }

    /// The first response, if it is whole.
    func take() -> WireResponse? {
        bytes.withLock { WireResponse(takingFrom: &$0) }
    }

    /// Every response that is whole.
    func takeAll() -> [WireResponse] {
        var answers: [WireResponse] = []
        while let response = take() { answers.append(response) }
        return answers
    }
}
