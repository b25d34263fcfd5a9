import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Decides when a device is dead (FLEET-2): no push reaches it, nothing waits for it, and for the app's term its app
/// was not opened, nothing of it was changed and it did not call.
///
/// A call shows a contact token, which lasts for hours, so a calling device has recently renewed it, linked, or sent
/// its properties. So a device that only fetches is not moved back and forth.
struct DormancyRule: Hashable, Sendable {
    /// Why a device stays in the table of live devices, or that it is dead.
    enum Decision: Hashable, Sendable {
        case lives(Reason)
        case isDead
    }

    enum Reason: Hashable, Sendable {
        /// Pushes are sent to the device.
        case reachable
        /// Pushes will be sent to the device when an operator has corrected the credentials (REG-33, REG-35).
        case rejected
        /// The app was opened, or the device was changed or has called, within the term.
        case active
        case waitedFor(DeviceActivity.WaitingWork)
    }

    /// The term, in seconds.
    let term: TimeInterval

    init(of settings: AppSettings) {
        term = TimeInterval(settings.dormancyDays) * 86_400
    }

    func decision(on device: DeviceActivity, now: Date) -> Decision {
        if device.consent.isOptedIn { return .lives(.reachable) }
        if let reason = device.consent.optOut?.reason, Self.isLiftable(reason) { return .lives(.rejected) }
        let last = max(device.updatedAt, device.lastOpenedAt ?? .distantPast, device.lastRefreshedAt ?? .distantPast)
        guard now.timeIntervalSince(last) > term else { return .lives(.active) }
        guard let work = DeviceActivity.WaitingWork.allCases.first(where: device.waiting.contains) else {
            return .isDead
        }
        return .lives(.waitedFor(work))
    }

    /// Whether new credentials end such an opt-out. The search for these opt-outs only finds live devices.
    private static func isLiftable(_ reason: OptOutReason) -> Bool {
        switch reason {
        case .tokenMalformed, .providerAuthentication: true
        case .user, .osSetting, .tokenInvalid: false
        }
    }
}
