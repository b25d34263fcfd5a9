import BelfryPush
import BelfryServices
import Synchronization

/// A push service that takes everything, and keeps the newest payload.
package final class AcceptingTransport: PushTransport {
    private let newest = Mutex<[UInt8]>([])

    package var newestPayload: [UInt8] { newest.withLock { $0 } }

    package func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        if let last = requests.last { newest.withLock { $0 = last.body } }
        for index in requests.indices { onResponse(index, .answered(PushResponse(status: 200))) }
    }
}

/// An authorization server that nobody reaches.
struct NoTokenExchange: AccessTokenExchange {
    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        throw AccessTokenExchangeError.noConnection
    }
}
