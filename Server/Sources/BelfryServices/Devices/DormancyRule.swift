import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// When a device is dead (FLEET-2): no push reaches it, its app was not opened, nothing of it was changed and it did not
/// call for the app's term, and nothing waits for it.
///
/// A call shows a contact token, which lasts for hours: who calls has renewed it, linked or said what it is since. So a
/// device that only fetches is not moved and brought back again and again.
struct DormancyRule: Hashable, Sendable {
    /// Whether a device stays where it is, and why.
    enum Verdict: Hashable, Sendable {
        case lives(Reason)
        case isDead
    }

    enum Reason: Hashable, Sendable {
        /// Pushes are sent to it.
        case reachable
        /// Pushes will be sent to it once an operator has put the credentials right (REG-33, REG-35).
        case refused
        /// Its app was opened, it was changed, or it called, within the term.
        case active
        case waitedFor(DeviceActivity.WaitingWork)
    }

    /// Seconds.
    let term: TimeInterval

    init(of settings: AppSettings) {
        term = TimeInterval(settings.dormancyDays) * 86_400
    }

    func verdict(on device: DeviceActivity, now: Date) -> Verdict {
        if device.consent.isOptedIn { return .lives(.reachable) }
        if let reason = device.consent.optOut?.reason, Self.isLiftable(reason) { return .lives(.refused) }
        let last = max(device.updatedAt, device.lastOpenedAt ?? .distantPast, device.lastRefreshedAt ?? .distantPast)
        guard now.timeIntervalSince(last) > term else { return .lives(.active) }
        guard let work = DeviceActivity.WaitingWork.allCases.first(where: device.waiting.contains) else {
            return .isDead
        }
        return .lives(.waitedFor(work))
    }

    /// Whether new credentials end such an opt-out: that finds devices which live alone.
    private static func isLiftable(_ reason: OptOutReason) -> Bool {
        switch reason {
        case .tokenMalformed, .providerAuthentication: true
        case .user, .osSetting, .tokenInvalid: false
        }
    }
}
