import BelfryModel
import BelfryStore
import Foundation

/// Counts calls, and refuses those of who makes too many (SEC-2). Without rates it counts nothing.
package struct RequestLimits: Sendable {
    /// Buckets of devices; with its key one takes some 200 bytes.
    static let maximumDevices = 100_000
    static let maximumAddresses = 50_000
    static let maximumKeys = 1_000

    private struct Counting: Sendable {
        let rates: RequestRates
        let devices: RateLimiter<DeviceName>
        let addresses: RateLimiter<IPAddress>
        let keys: RateLimiter<String>
    }

    /// A client id means a device within its app only.
    private struct DeviceName: Hashable, Sendable {
        let app: Int64
        let client: DeviceID
    }

    private let counting: Counting?
    private let proxies: TrustedProxies
    private let now: @Sendable () -> Date
    private let metrics: Metrics

    /// - Parameters:
    ///   - rates: nil: everybody may call as often as they like.
    ///   - proxies: whose `X-Forwarded-For` is believed.
    package init(
        rates: RequestRates?, proxies: TrustedProxies, environment: ServerEnvironment, metrics: Metrics
    ) {
        counting = rates.map { rates in
            Counting(
                rates: rates, devices: RateLimiter(rates.device, maximumCount: Self.maximumDevices),
                addresses: RateLimiter(rates.newDevices, maximumCount: Self.maximumAddresses),
                keys: RateLimiter(rates.adminKey, maximumCount: Self.maximumKeys)
            )
        }
        self.proxies = proxies
        now = environment.now
        self.metrics = metrics
    }

    /// Counts a call of a device.
    package func admit(_ client: DeviceID, of app: AppRecord) throws(ServiceError) {
        guard let counting,
            let wait = counting.devices.take(DeviceName(app: app.id, client: client), now: now())
        else { return }
        throw refusal("device", "A device makes at most \(counting.rates.device.perMinute) calls a minute.", wait)
    }

    /// Counts a call with an admin key.
    package func admit(_ principal: AdminPrincipal) throws(ServiceError) {
        guard let counting, let wait = counting.keys.take(principal.name, now: now()) else { return }
        throw refusal(
            "adminKey", "An admin key makes at most \(counting.rates.adminKey.perMinute) calls a minute.", wait)
    }

    /// Who answers for the device that a call may make; nil when such devices are not counted.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwardedFor: the header `X-Forwarded-For`.
    package func newcomer(peer: @autoclosure () -> IPAddress, forwardedFor: @autoclosure () -> String?) -> Newcomer? {
        guard let counting else { return nil }
        let address = proxies.caller(peer: peer(), forwardedFor: forwardedFor())
        guard counting.rates.limitsLoopback || !address.isLoopback else { return nil }
        return Newcomer(network: address.network, limits: self)
    }

    /// Counts a device that is made.
    fileprivate func admitNewDevice(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.addresses.take(network, now: now()) else { return }
        throw refusal(
            "newDevices", "An address makes at most \(counting.rates.newDevices.perMinute) new devices a minute.", wait
        )
    }

    private func refusal(_ limit: String, _ rule: String, _ wait: Int) -> ServiceError {
        metrics.add(1, to: "belfry_requests_limited_total{limit=\"\(limit)\"}")
        return .tooManyCalls(limit: limit, message: "\(rule) Call again in \(wait) s.", retryAfter: wait)
    }
}

/// Where a device comes from that may be a new one.
package struct Newcomer: Sendable {
    fileprivate let network: IPAddress
    fileprivate let limits: RequestLimits

    /// Asked before the device is made.
    package func admit() throws(ServiceError) {
        try limits.admitNewDevice(from: network)
    }
}
