import BelfryModel
import BelfryRules
import BelfryServerModel
import BelfryStore
import Foundation

/// Who would get an in-app message, and who would see it if the recorded sessions of the last days came again (CON-12).
struct RehearsedInApp: Sendable {
    let preview: InAppPreview
    let draft: InAppDraft?
    let launch: Date

    /// For each of a page, in the order of their numbers. Whether pushes are allowed does not matter: devices fetch the
    /// message by themselves (IAM-3).
    func play(_ input: RehearsalInput) -> [RehearsedDelivery] {
        input.recipients.map { recipient in
            if recipient.contact == nil {
                // It gets the message once it has a contact.
                return delivery(recipient, RehearsedOutcome(state: .pending, reason: .noContact))
            }
            guard preview.templates.canRender(recipient) else {
                return delivery(recipient, RehearsedOutcome(state: .suppressed, reason: .renderError))
            }
            guard let trigger = draft?.trigger else { return delivery(recipient, .accepted) }
            guard let date = shown(recipient, by: trigger, input.events[recipient.device] ?? []) else {
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

    /// When the trigger would fire for the first time, the recorded days counting from the launch; nil: never.
    private func shown(_ recipient: Recipient, by trigger: InAppTrigger, _ events: [RecordedEvent]) -> Date? {
        let device = TriggerDevice(properties: recipient.rehearsedProperties, isOptedIn: recipient.consent.isOptedIn)
        let shift = Double(RehearsalReading.recordedDays) * 86_400
        var count = 0
        for event in events {
            let date = max(event.at.addingTimeInterval(shift), launch)
            if let end = draft?.endsAt, date >= end { return nil }
            if let start = draft?.startsAt, date < start { continue }
            guard trigger.matches(TriggerEvent(name: trigger.eventName, attributes: event.attributes), on: device)
            else { continue }
            count += 1
            if count >= trigger.neededOccurrence {
                return date.addingTimeInterval(Double(draft?.effectiveDelaySeconds ?? 0))
            }
        }
        return nil
    }
}

extension Recipient {
    /// Its platform, which comes first among its properties.
    var rehearsedPlatform: String? {
        let first = values.count - DeviceProperty.allCases.count
        return first >= 0 ? values[first] : nil
    }

    /// What the device says of itself: rehearsals read it behind the values of templates.
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
