import BelfryDelivery
import BelfryPush
import BelfryServices
import NIOCore

/// Calls the console's identity provider. The operator has chosen it, so it may be at any address: many companies run
/// theirs in their own network.
struct HTTPProviderTransport: ProviderTransport {
    /// The maximum size of a response, in bytes. A key set with certificates is the longest.
    static let maximumResponseBytes = 262_144

    private let exchange: HTTPTokenExchange

    init(group: any EventLoopGroup, timeout: TimeAmount = HTTPTokenExchange.timeout) {
        var settings = DeliverySettings()
        settings.allowsPrivateAddresses = true
        settings.allowsLoopbackAddresses = true
        exchange = HTTPTokenExchange(group: group, settings: settings, timeout: timeout)
    }

    func send(_ request: ProviderRequest) async throws -> (status: Int, body: [UInt8]) {
        var call = HTTPTokenExchange.Call(uri: request.address, form: request.form)
        if let authorization = request.authorization { call.headers = [("Authorization", authorization)] }
        return try await exchange.send(call, trustRoots: [], upTo: Self.maximumResponseBytes)
    }
}
