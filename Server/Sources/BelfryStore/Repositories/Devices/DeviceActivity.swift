import BelfryModel
import Foundation

/// Facts that decide whether a device is dead (FLEET-2).
package struct DeviceActivity: Hashable, Sendable {
    /// Waiting work that keeps a device out of the dormant table, since its workers look for the device among those in
    /// use.
    package enum WaitingWork: Hashable, Sendable, CaseIterable {
        /// A registration was received and not processed.
        case registration
        /// The device may take over the contact of an earlier installation (REG-23).
        case takeover
        /// A running campaign must still be sent to the device. In-app messages do not count: they wait for the device
        /// to ask.
        case delivery
        case silentPush
        /// Work on the device was begun alone, or is in quarantine (SEC-8).
        case attempt
    }

    package let device: Int64
    package let app: Int64
    package let consent: DeviceConsent
    package let lastOpenedAt: Date?
    /// When the device last renewed its contact token, as even a device that only fetches does; accurate to a day.
    package let lastRefreshedAt: Date?
    package let updatedAt: Date
    package var waiting: Set<WaitingWork>

    package init(
        device: Int64, app: Int64, consent: DeviceConsent, lastOpenedAt: Date?, lastRefreshedAt: Date?,
        updatedAt: Date, waiting: Set<WaitingWork> = []
    ) {
        self.device = device
        self.app = app
        self.consent = consent
        self.lastOpenedAt = lastOpenedAt
        self.lastRefreshedAt = lastRefreshedAt
        self.updatedAt = updatedAt
        self.waiting = waiting
    }
}

extension DeviceActivity {
    /// The columns of `devices`.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case device, app, hasToken, pushEnabled, osPushEnabled, optOutReason, optOutAt, lastOpenedAt, lastRefreshedAt
        case updatedAt, hasRegistration, hasTakeover, hasDelivery, hasSilentPush

        var sql: SQLText {
            switch self {
            case .device: "id"
            case .app: "app_id"
            case .hasToken: "CASE WHEN push_token IS NOT NULL THEN 1 ELSE 0 END"
            case .pushEnabled: "push_enabled"
            case .osPushEnabled: "os_push_enabled"
            case .optOutReason: "opt_out_reason"
            case .optOutAt: "opt_out_at"
            case .lastOpenedAt: OpeningHolder.device.lastOpening(of: "devices")
            case .lastRefreshedAt: "(SELECT max(t.created_at) FROM refresh_tokens t WHERE t.device_id = devices.id)"
            case .updatedAt: "updated_at"
            case .hasRegistration:
                Self.exists("registrations w WHERE w.device_id = devices.id AND w.status = 'received'")
            case .hasTakeover: Self.exists("takeover_offers w WHERE w.device_id = devices.id")
            case .hasDelivery:
                Self.exists(
                    """
                    deliveries w WHERE w.device_id = devices.id AND w.state = 'pending' AND w.campaign_id IN (
                        SELECT c.id FROM campaigns c WHERE c.app_id = devices.app_id
                            AND c.status IN ('scheduled', 'sending', 'paused', 'active') AND c.kind <> 'inApp')
                    """
                )
            case .hasSilentPush:
                Self.exists("silent_pushes w WHERE w.device_id = devices.id AND w.due_at IS NOT NULL")
            }
        }

        private static func exists(_ rows: SQLText) -> SQLText {
            "CASE WHEN EXISTS (SELECT 1 FROM \(rows)) THEN 1 ELSE 0 END"
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        let optOut = row.optionalText(.optOutReason).flatMap(OptOutReason.init(rawValue:)).map {
            OptOut(reason: $0, at: row.date(.optOutAt))
        }
        let works: [(Column, WaitingWork)] = [
            (.hasRegistration, .registration), (.hasTakeover, .takeover), (.hasDelivery, .delivery),
            (.hasSilentPush, .silentPush),
        ]
        self.init(
            device: row.integer(.device), app: row.integer(.app),
            consent: DeviceConsent(
                hasToken: row.flag(.hasToken), pushEnabled: row.optionalFlag(.pushEnabled) ?? true,
                osPushEnabled: row.optionalFlag(.osPushEnabled), optOut: optOut
            ),
            lastOpenedAt: row.optionalDate(.lastOpenedAt), lastRefreshedAt: row.optionalDate(.lastRefreshedAt),
            updatedAt: row.date(.updatedAt),
            waiting: Set(works.filter { row.flag($0.0) }.map { $0.1 })
        )
    }
}
