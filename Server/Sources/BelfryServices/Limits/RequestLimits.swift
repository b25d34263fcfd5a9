import BelfryModel
import BelfryStore
import Foundation
import Synchronization

/// Counts calls and their content, and rejects those of callers who exceed their limits (SEC-2, SEC-9). Without rates
/// it counts nothing.
package final class RequestLimits: Sendable {
    /// The counters of all callers.
    struct Counting: Sendable {
        let rates: RequestRates
        let devices: RateLimiter<CallPayer>
        let backlogs: RateLimiter<CallPayer>
        let bytes: UploadBudget
        let events: UploadBudget
        let contactsOfDevices: RateLimiter<CallPayer>
        let installations: RateLimiter<CallPayer>
        let addresses: AddressRateLimiter
        let contacts: AddressRateLimiter
        let unauthenticated: AddressRateLimiter
        let proofs: AddressRateLimiter
        let keys: RateLimiter<String>
        let keptAnswers: RateLimiter<String>
        let rejectedForms: RateLimiter<String>

        init(_ rates: RequestRates) {
            self.rates = rates
            devices = RateLimiter(rates.device, maximumCount: RequestRates.maximumDevices)
            backlogs = RateLimiter(rates.backlog, maximumCount: RequestRates.maximumDevices)
            bytes = UploadBudget(
                .bytes, device: rates.bytes, unauthenticated: rates.unauthenticatedBytes,
                address: rates.app?.bytesOfAddress, app: rates.app?.bytes
            )
            // Unauthenticated calls bring no events: those need a token.
            events = UploadBudget(
                .events, device: rates.events, unauthenticated: nil, address: rates.app?.eventsOfAddress,
                app: rates.app?.events
            )
            contactsOfDevices = RateLimiter(rates.newContactsOfDevice, maximumCount: RequestRates.maximumDevices)
            installations = RateLimiter(rates.newInstallations, maximumCount: RequestRates.maximumDevices)
            addresses = AddressRateLimiter(rates.newDevices, maximumCount: RequestRates.maximumAddresses)
            contacts = AddressRateLimiter(rates.newContacts, maximumCount: RequestRates.maximumAddresses)
            unauthenticated = AddressRateLimiter(rates.unauthenticated, maximumCount: RequestRates.maximumAddresses)
            proofs = AddressRateLimiter(rates.uselessProofs, maximumCount: RequestRates.maximumAddresses)
            keys = RateLimiter(rates.adminKey, maximumCount: RequestRates.maximumKeys)
            keptAnswers = RateLimiter(rates.keptAnswers, maximumCount: RequestRates.maximumKeys)
            rejectedForms = RateLimiter(rates.rejectedForms, maximumCount: RequestRates.maximumKeys)
        }

        func calls(_ kind: CallKind) -> RateLimiter<CallPayer> {
            switch kind {
            case .ordinary: devices
            case .backlog: backlogs
            }
        }
    }

    /// The kind of a device's call.
    package enum CallKind: Hashable, Sendable {
        case ordinary
        /// A call with events from a client of v3, which may send each event by itself (``RequestRates/backlog``).
        case backlog
    }

    let counting: Counting?
    private let proxies: TrustedProxies
    let now: @Sendable () -> Date
    private let metrics: Metrics

    /// - Parameters:
    ///   - rates: the limits. Nil: there are none.
    ///   - proxies: the proxies whose `X-Forwarded-For` is trusted.
    package init(
        rates: RequestRates?, proxies: TrustedProxies, now: @escaping @Sendable () -> Date, metrics: Metrics
    ) {
        counting = rates.map(Counting.init)
        self.proxies = proxies
        self.now = now
        self.metrics = metrics
    }

    /// Divides what keys and apps may send among the processes that answer calls (FLEET-1): each counts for itself, and
    /// together they grant what is configured. Limits of devices and addresses are not divided, because a client keeps
    /// its connection and so its process.
    package func divide(among processes: Int) {
        guard let counting else { return }
        counting.keys.divide(by: processes)
        counting.keptAnswers.divide(by: processes)
        counting.bytes.divideApps(by: processes)
        counting.events.divideApps(by: processes)
    }

    /// Counts a call of a device. Throws when its limit is reached.
    ///
    /// - Parameter installation: the installation that the call proves
    ///   (``CallerAuthentication/installation(shownBy:)``). Each is counted separately, so that a caller with ended
    ///   credentials does not use up the owner's calls.
    package func admit(
        _ client: DeviceID, of app: AppRecord, showing installation: ShownInstallation? = nil,
        as kind: CallKind = .ordinary
    ) throws(ServiceError) {
        guard let counting,
            let wait = counting.calls(kind).take(CallPayer(client, of: app.id, showing: installation), now: now())
        else { return }
        throw limitError("device", "A device may send at most \(counting.rates.device.amount) requests a minute.", wait)
    }

    /// Counts a call that proves nothing about its device. It counts for the caller's address and not for the device;
    /// if addresses are not counted, it counts for the id.
    package func admitUnauthenticated(
        naming client: DeviceID, of app: AppRecord, from address: NewDeviceQuota?
    ) throws(ServiceError) {
        guard let address else { return try admit(client, of: app) }
        try address.admitCall()
    }

    /// Counts a call of a device without an error. If it returns false, the caller continues with
    /// ``admit(_:of:showing:)``.
    package func grants(
        _ client: DeviceID, of app: AppRecord, showing installation: ShownInstallation? = nil,
        as kind: CallKind = .ordinary
    ) -> Bool {
        guard let counting else { return true }
        return counting.calls(kind).take(CallPayer(client, of: app.id, showing: installation), now: now()) == nil
    }

    /// Undoes the count of a granted call, because it is counted elsewhere.
    package func takeBack(
        _ client: DeviceID, of app: AppRecord, showing installation: ShownInstallation? = nil,
        as kind: CallKind = .ordinary
    ) {
        counting?.calls(kind).putBack(CallPayer(client, of: app.id, showing: installation))
    }

    /// Counts a call with an admin key.
    package func admit(_ principal: AdminPrincipal) throws(ServiceError) {
        guard let counting, let wait = counting.keys.take(principal.name, now: now()) else { return }
        throw limitError(
            "adminKey",
            "An admin key may send at most \(counting.rates.adminKey.amount) requests a minute."
                + counting.keys.division, wait
        )
    }

    /// Whether a form of a person who calls too often is read all the same; counts it.
    package func readsRejectedForm(of principal: AdminPrincipal) -> Bool {
        guard let counting else { return true }
        return counting.rejectedForms.take(principal.name, now: now()) == nil
    }

    /// Counts the stored part of a response that is kept for a repeated call. Throws when the limit is reached.
    ///
    /// - Parameter key: the principal's name.
    func admitKept(bytes: Int, of key: String) throws(ServiceError) {
        guard let counting, let wait = counting.keptAnswers.take(key, bytes, now: now()) else { return }
        throw limitError(
            "keptAnswers",
            "For an admin key, responses of up to \(counting.rates.keptAnswers.words("bytes")) are stored."
                + counting.keptAnswers.division
                + " The request was not carried out. Send it without an Idempotency-Key, or later.", wait
        )
    }

    /// Undoes the count of a response that is not stored.
    func putBackKept(bytes: Int, of key: String) {
        counting?.keptAnswers.putBack(key, bytes)
    }

    /// The caller's address, and whether the peer is a trusted proxy.
    package func origin(peer: IPAddress, forwardedFor: String?) -> (caller: IPAddress, isTrusted: Bool) {
        (proxies.caller(peer: peer, forwardedFor: forwardedFor), proxies.contains(peer))
    }

    /// The address that a call counts for. Nil when it is not counted.
    ///
    /// - Parameters:
    ///   - peer: the other end of the connection.
    ///   - forwardedFor: the header `X-Forwarded-For`.
    package func network(peer: @autoclosure () -> IPAddress, forwardedFor: @autoclosure () -> String?) -> IPAddress? {
        guard let counting else { return nil }
        let address = proxies.caller(peer: peer(), forwardedFor: proxies.isEmpty ? nil : forwardedFor())
        guard counting.rates.limitsLoopback || !address.isLoopback else { return nil }
        return address.network
    }

    /// The quota for a device that a call may create. Nil when such devices are not counted.
    package func newDeviceQuota(peer: @autoclosure () -> IPAddress, forwardedFor: @autoclosure () -> String?)
        -> NewDeviceQuota?
    {
        newDeviceQuota(of: network(peer: peer(), forwardedFor: forwardedFor()))
    }

    /// The quota for a device that a call may create, given the address of ``network(peer:forwardedFor:)``.
    package func newDeviceQuota(of network: IPAddress?) -> NewDeviceQuota? {
        network.map { NewDeviceQuota(network: $0, limits: self) }
    }

    func limitError(_ limit: String, _ rule: String, _ wait: Int) -> ServiceError {
        metrics.add(1, to: "belfry_requests_limited_total{limit=\"\(limit)\"}")
        return .tooManyCalls(limit: limit, message: "\(rule) Try again in \(wait) s.", retryAfter: wait)
    }
}
