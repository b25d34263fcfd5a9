import BelfryModel
import BelfryStore
import Foundation
import Synchronization

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
        let strangers: RateLimiter<IPAddress>
        let proofs: RateLimiter<IPAddress>
    }

    /// A client id means a device within its app only.
    private struct DeviceName: Hashable, Sendable {
        let app: Int64
        let client: DeviceID
        let mark: Int64
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
                keys: RateLimiter(rates.adminKey, maximumCount: Self.maximumKeys),
                strangers: RateLimiter(rates.strangers, maximumCount: Self.maximumAddresses),
                proofs: RateLimiter(rates.uselessProofs, maximumCount: Self.maximumAddresses)
            )
        }
        self.proxies = proxies
        now = environment.now
        self.metrics = metrics
    }

    /// Counts a call of a device.
    ///
    /// - Parameter mark: what it shows of its device (``CallerAuthentication/mark(of:)``): calls that show different
    ///   things are counted apart, so that whoever holds what has ended does not use up the owner's calls.
    package func admit(_ client: DeviceID, of app: AppRecord, showing mark: Int64 = 0) throws(ServiceError) {
        guard let counting,
            let wait = counting.devices.take(DeviceName(app: app.id, client: client, mark: mark), now: now())
        else { return }
        throw refusal("device", "A device makes at most \(counting.rates.device.perMinute) calls a minute.", wait)
    }

    /// Counts a call that shows nothing of the device but its id. It is its address that makes it, and the device does
    /// not pay for it; only where addresses are not counted, the id does.
    package func admitStranger(
        naming client: DeviceID, of app: AppRecord, from address: Newcomer?
    ) throws(ServiceError) {
        guard let address else { return try admit(client, of: app) }
        try address.admitCall()
    }

    /// Counts a call of a device without a word of refusal: whoever is not granted it goes on to
    /// ``admit(_:of:showing:)``.
    package func grants(_ client: DeviceID, of app: AppRecord, showing mark: Int64 = 0) -> Bool {
        guard let counting else { return true }
        return counting.devices.take(DeviceName(app: app.id, client: client, mark: mark), now: now()) == nil
    }

    /// Takes back that a granted call was counted, for it is counted elsewhere.
    package func takeBack(_ client: DeviceID, of app: AppRecord, showing mark: Int64 = 0) {
        counting?.devices.putBack(DeviceName(app: app.id, client: client, mark: mark))
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

    /// Counts a call of somebody who shows nothing of a device.
    fileprivate func admitStranger(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.strangers.take(network, now: now()) else { return }
        throw refusal(
            "strangers",
            "An address makes at most \(counting.rates.strangers.perMinute) calls a minute without token and state.",
            wait
        )
    }

    /// Counts a proof before it is looked at.
    fileprivate func admitProof(from network: IPAddress) throws(ServiceError) {
        guard let counting, let wait = counting.proofs.take(network, now: now()) else { return }
        throw refusal(
            "openIDTokens",
            "An address sends at most \(counting.rates.uselessProofs.perMinute) useless OpenID tokens a minute.",
            wait
        )
    }

    fileprivate func takeBackProof(from network: IPAddress) {
        counting?.proofs.putBack(network)
    }

    private func refusal(_ limit: String, _ rule: String, _ wait: Int) -> ServiceError {
        metrics.add(1, to: "belfry_requests_limited_total{limit=\"\(limit)\"}")
        return .tooManyCalls(limit: limit, message: "\(rule) Call again in \(wait) s.", retryAfter: wait)
    }
}

/// Where a device comes from that may be a new one.
package struct Newcomer: Sendable {
    private let network: IPAddress
    private let limits: RequestLimits
    private let admission = Admission()

    fileprivate init(network: IPAddress, limits: RequestLimits) {
        self.network = network
        self.limits = limits
    }

    /// Asked before the device is made. A call makes one device and is counted once, however often it is asked: the
    /// write in which it is asked may run twice.
    package func admit() throws(ServiceError) {
        try admission.once { () throws(ServiceError) in try limits.admitNewDevice(from: network) }
    }

    /// Asked for a call that shows nothing of its device.
    package func admitCall() throws(ServiceError) {
        try limits.admitStranger(from: network)
    }

    /// Asked before an OpenID token is looked at: to check signatures is the dearest thing that anybody can ask for.
    package func admitProof() throws(ServiceError) {
        try limits.admitProof(from: network)
    }

    /// The token has proven a contact: it counts for nothing.
    package func takeBackProof() {
        limits.takeBackProof(from: network)
    }

    /// What a call was told when it was counted.
    private final class Admission: Sendable {
        private let outcome = Mutex<Result<Void, ServiceError>?>(nil)

        func once(_ count: () throws(ServiceError) -> Void) throws(ServiceError) {
            let first = outcome.withLock { outcome -> Result<Void, ServiceError> in
                if let outcome { return outcome }
                let told = Result(catching: count)
                outcome = told
                return told
            }
            try first.get()
        }
    }
}
