import BelfryModel

/// Checks the action of a tap in an in-app message (IAM-12): it has everything that its type needs, and nothing that
/// its type would ignore.
struct InAppActionCheck {
    let action: InAppAction
    let field: String

    func check(_ errors: inout FieldErrors) {
        let type = action.type
        if type == .openUrl {
            errors.require(
                action.url != nil, "\(field).url", "missing",
                "The action 'openUrl' needs a deep link or web address with a scheme."
            )
        } else {
            errors.require(
                action.url == nil, "\(field).url", "notTogether", "The action '\(type.rawValue)' opens no address."
            )
        }
        if type == .event {
            checkName(&errors)
            checkAttributes(action.attributes ?? [:], "\(field).attributes", &errors)
        } else {
            let message = "The action '\(type.rawValue)' tracks no event."
            errors.require(action.name == nil, "\(field).name", "notTogether", message)
            errors.require(action.attributes == nil, "\(field).attributes", "notTogether", message)
        }
    }

    private func checkName(_ errors: inout FieldErrors) {
        do throws(ValueError) {
            guard let name = action.name else {
                throw ValueError(code: "missing", message: "The action 'event' needs the name of the event.")
            }
            _ = try EventName(name)
        } catch {
            errors.reject("\(field).name", error)
        }
    }

    private func checkAttributes(_ attributes: [String: AttributeValue], _ field: String, _ errors: inout FieldErrors) {
        errors.require(
            attributes.count <= EventLimits.maximumAttributes, field, "tooMany",
            "An event has at most \(EventLimits.maximumAttributes) attributes."
        )
        // Half of an event's size, because an event has more than its attributes.
        errors.require(attributes, maximumBytes: EventLimits.maximumBytes / 2, field, "The attributes")
    }
}
