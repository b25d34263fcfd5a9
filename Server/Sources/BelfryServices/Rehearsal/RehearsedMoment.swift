import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension PlannedNotifications {
    /// When it would leave for a device of a zone, as its schedule decides; nil when it never would.
    func date(for zone: String?, app: AppRecord) -> Date? {
        let zone = RecipientZone(device: zone, app: app.settings.timeZoneName)
        switch schedule.due(at: launch, launchedAt: launch, zone: zone) {
        case .now: return launch
        case .never: return nil
        case .later(let date, _):
            // Its own time may lie in quiet hours.
            switch schedule.due(at: date, launchedAt: launch, zone: zone) {
            case .now: return date
            case .later(let end, _): return end
            case .never: return nil
            }
        }
    }
}

extension Campaign {
    /// When a launch now would begin to send, or when the campaign will: what has passed is now.
    func rehearsedLaunch(now: Date) -> Date {
        max(now, scheduledAt ?? draft.schedule?.firstSend ?? now)
    }
}
