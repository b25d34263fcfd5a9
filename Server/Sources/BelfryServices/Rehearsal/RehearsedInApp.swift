import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// Simulates who would get an in-app message, and who would see it if the recorded sessions of the last days were
/// repeated (CON-12).
struct RehearsedInApp: Sendable {
    let preview: InAppPreview
    let draft: InAppDraft?
    let launch: Date
    /// The time of the rehearsal.
    let now: Date
    private let trigger: WeighedTrigger?
    /// The number of devices with more events than are tried, and none of whose tried events triggered the message.
    private var unread = 0

    init(preview: InAppPreview, draft: InAppDraft?, launch: Date, now: Date) {
        self.preview = preview
        self.draft = draft
        self.launch = launch
        self.now = now
        trigger = draft?.trigger.map(WeighedTrigger.init)
    }

    /// Sentences about what the simulation could not find out.
    var warnings: [String] {
        guard unread > 0 else { return [] }
        let devices = unread == 1 ? "1 device has" : "\(unread) devices have"
        return [
            "\(devices) more recorded events than are tried, which is at most \(RehearsalReading.maximumEvents) of "
                + "each: another one may trigger the message there."
        ]
    }

    /// The outcomes for a page, in the order of device numbers. The push permission does not matter, because devices
    /// fetch the message themselves (IAM-3).
    mutating func play(_ input: RehearsalInput) -> [RehearsedDelivery] {
        var effort = TriggerEffort(TriggerEffort.ofRehearsedPage)
        return input.recipients.map { recipient in
            if recipient.contact == nil {
                // The device gets the message once it has a contact.
                return delivery(recipient, RehearsedOutcome(state: .pending, reason: .noContact))
            }
            guard preview.templates.canRender(recipient) else {
                return delivery(recipient, RehearsedOutcome(state: .suppressed, reason: .renderError))
            }
            guard let trigger else { return delivery(recipient, .accepted) }
            let events = input.events[recipient.device] ?? []
            guard let date = shown(recipient, by: trigger, events, &effort) else {
                if input.busy.contains(recipient.device) || (effort.isSpent && !events.isEmpty) { unread += 1 }
                return delivery(recipient, RehearsedOutcome(state: .accepted, reason: .notTriggered))
            }
            return delivery(recipient, .accepted, at: date)
        }
    }

    private func delivery(
        _ recipient: Recipient, _ outcome: RehearsedOutcome, at date: Date? = nil
    ) -> RehearsedDelivery {
        RehearsedDelivery(recipient: recipient, outcome: outcome, at: date ?? launch, hasMessage: false)
    }

    /// When the trigger would fire for the first time; nil if never. The recorded days are counted from the moment at
    /// which the message may be shown.
    private func shown(
        _ recipient: Recipient, by trigger: WeighedTrigger, _ events: [RecordedEvent], _ effort: inout TriggerEffort
    ) -> Date? {
        let device = TriggerDevice(properties: recipient.rehearsedProperties, isOptedIn: recipient.consent.isOptedIn)
        let start = max(launch, draft?.startsAt ?? launch)
        let shift = start.timeIntervalSince(now.addingTimeInterval(-RehearsalReading.recordedTime))
        let delay = Double(draft?.effectiveDelaySeconds ?? 0)
        var count = 0
        for event in events {
            let date = event.at.addingTimeInterval(shift + delay)
            if let end = draft?.endsAt, date >= end { return nil }
            let tried = WeighedEvent(TriggerEvent(name: trigger.eventName, attributes: event.attributes))
            guard effort.isMet(trigger, by: tried, on: device) else { continue }
            count += 1
            if count >= trigger.trigger.neededOccurrence { return date }
        }
        return nil
    }
}

extension Recipient {
    /// The device's platform, the first of its properties.
    var rehearsedPlatform: String? {
        let first = values.count - DeviceProperty.allCases.count
        return first >= 0 ? values[first] : nil
    }

    /// The properties that the device reported: rehearsals read them after the values of templates.
    var rehearsedProperties: SystemProperties {
        func value(_ property: DeviceProperty) -> String? {
            guard let place = DeviceProperty.allCases.firstIndex(of: property) else { return nil }
            let first = values.count - DeviceProperty.allCases.count
            return first >= 0 ? values[first + place] : nil
        }
        return SystemProperties(
            timeZone: value(.timeZone), locale: value(.locale), platform: value(.platform),
            osVersion: value(.osVersion), appVersion: value(.appVersion), sdkVersion: value(.sdkVersion),
            deviceModel: value(.deviceModel)
        )
    }
}
