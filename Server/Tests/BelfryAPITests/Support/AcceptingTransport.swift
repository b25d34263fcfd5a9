import BelfryPush
import BelfryServices

/// A push service that takes everything.
struct AcceptingTransport: PushTransport {
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        for index in requests.indices { onResponse(index, .answered(PushResponse(status: 200))) }
    }
}

/// An authorization server that nobody reaches.
struct NoTokenExchange: AccessTokenExchange {
    func post(_ request: AccessTokenRequest, trustRoots: [String]) async throws -> (status: Int, body: [UInt8]) {
        throw AccessTokenExchangeError.noConnection
    }
}
