import BelfryModel
import BelfryServerModel
import Foundation

/// Checks an in-app message: when and how often devices show it (IAM-1, IAM-5, IAM-12). Its texts are compiled by
/// ``InAppTemplateCheck``.
struct InAppCheck {
    let message: InAppDraft
    /// When its campaign starts; nil for a start at the launch.
    let start: Date?

    func check(_ errors: inout FieldErrors) {
        if message.type == .inline { checkView(&errors) } else { checkTrigger(&errors) }
        checkNumbers(&errors)
        checkEnd(&errors)
        let content = InAppContentCheck(content: message.content, type: message.type)
        content.check(&errors)
        DefaultsCheck(defaults: message.defaults, field: "inApp.defaults").check(&errors)
        VariantsCheck(field: "inApp.variants").check(message.variants, &errors) { _, variant, field, errors in
            content.checkVariant(variant, field, &errors)
        }
    }

    /// Checks a message that a trigger shows.
    private func checkTrigger(_ errors: inout FieldErrors) {
        errors.require(
            message.viewId == nil, "inApp.viewId", "notInline",
            "Only a message of type 'inline' has a view: this one is '\(message.type.rawValue)'."
        )
        guard let trigger = message.trigger else {
            return errors.reject(
                "inApp.trigger", "missing",
                #"A message needs the event that triggers it, such as {"event":"session:start"}."#
            )
        }
        for error in trigger.errors {
            errors.reject(error.path.isEmpty ? "inApp.trigger" : "inApp.trigger.\(error.path)", error.error)
        }
    }

    /// Checks an inline message, which the app requests by its view's id.
    private func checkView(_ errors: inout FieldErrors) {
        errors.require(
            message.trigger == nil, "inApp.trigger", "notTriggered",
            "An inline message has no trigger; the app requests it for a view."
        )
        errors.require(
            message.delaySeconds ?? 0 == 0, "inApp.delaySeconds", "notTriggered",
            "An inline message has no delay; the app requests it for a view."
        )
        let longest = InAppLimits.maximumViewIDLength
        guard let view = message.viewId else {
            return errors.reject("inApp.viewId", "missing", "An inline message needs the id of its view.")
        }
        errors.require(
            !view.showsNothing && view.isNamed(within: longest), "inApp.viewId", "invalidLength",
            "A view's id has 1 to \(longest) characters, is not blank and has no null character."
        )
    }

    private func checkNumbers(_ errors: inout FieldErrors) {
        errors.require(message.effectivePriority, in: 0...InAppLimits.maximumPriority, "inApp.priority") {
            "A priority is \($0); the lowest is shown first."
        }
        errors.require(message.effectiveDisplayLimit, in: 1...InAppLimits.maximumDisplayLimit, "inApp.displayLimit") {
            "A message is shown \($0) times."
        }
        errors.require(message.effectiveDelaySeconds, in: 0...InAppLimits.maximumDelaySeconds, "inApp.delaySeconds") {
            "A delay is \($0) seconds."
        }
    }

    /// Checks that the end is after the start. Whether it has passed is checked at the launch.
    private func checkEnd(_ errors: inout FieldErrors) {
        guard let end = message.endsAt else { return }
        if let first = message.startsAt {
            errors.require(end > first, "inApp.endsAt", "outOfRange", "A message ends after it starts.")
        }
        if let start {
            errors.require(end > start, "inApp.endsAt", "outOfRange", "A message ends after its campaign starts.")
        }
    }
}
