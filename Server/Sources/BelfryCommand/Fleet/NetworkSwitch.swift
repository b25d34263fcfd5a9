import Belfry
import Foundation
import Synchronization

/// A device's network that can be switched off: from then on every request fails, as it does in a tunnel.
final class NetworkSwitch: Transport {
    private let transport: any Transport
    private let isOff = Mutex(false)

    init(_ transport: any Transport) {
        self.transport = transport
    }

    func cutOff() {
        isOff.withLock { $0 = true }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard !isOff.withLock({ $0 }) else { throw URLError(.notConnectedToInternet) }
        return try await transport.send(request)
    }
}
