import BelfryModel
import BelfryServices
import Foundation

/// The text that a person types to confirm an erasure: the contact's key. It is the contact's number where the key
/// cannot be typed: a browser removes line ends from a field, and a page shows several spaces as one.
struct ErasureProof: Hashable, Sendable {
    let text: String
    let isNumber: Bool

    init(_ person: ErasablePerson) {
        isNumber = !Self.isTypable(person.key)
        text = isNumber ? String(person.number) : person.key
    }

    /// Compares the typed text in Unicode's composed form, in which keys are stored.
    func isGiven(by typed: String) -> Bool {
        NamingRule.composed(typed).isExactly(text)
    }

    var problem: String {
        "This is not the \(isNumber ? "number of this contact" : "key of this person"). Nothing was erased."
    }

    private static func isTypable(_ key: String) -> Bool {
        var last: Unicode.Scalar?
        for scalar in key.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: return false
            default: if scalar == " ", last == " " { return false }
            }
            last = scalar
        }
        return true
    }
}

/// The confirmation page of an erasure: what will be removed, and what to type.
struct ErasureModel: Sendable {
    let personTitle: String
    let personAddress: String
    let peopleAddress: String
    let eraseFormAddress: String
    let losses: [String]
    /// Whether the contact's number has to be typed instead of the key.
    let provesByNumber: Bool
    let expectedProof: String
    let typedKey: String
    let keyProblem: String?
    let formToken: String

    init(_ person: ErasablePerson, at place: PersonPlace, typed: String, problem: String?) {
        personTitle = person.key
        personAddress = place.person
        peopleAddress = place.list
        eraseFormAddress = "\(place.person)/erase"
        let devices = Self.count(person.devices)
        let events = Self.count(person.events)
        losses = [
            "The contact with all its attributes, tags and former keys (\(Self.count(person.aliases))).",
            "\(devices) \(person.devices == 1 ? "device" : "devices") with registrations, push tokens and badges. Each is told to delete its data, and is rejected from then on.",
            "The person's events: \(events) \(person.events == 1 ? "event" : "events").",
            "The person's messages in message centers: \(Figures.count(person.messages)), and in-app messages.",
            "The person's name in audiences and in the audit log. Figures of campaigns stay, without the person.",
        ]
        let proof = ErasureProof(person)
        provesByNumber = proof.isNumber
        expectedProof = proof.text
        typedKey = typed
        keyProblem = problem
        formToken = place.formToken
    }

    /// A count in words: `1,234`, or `more than 10,000`, above which nothing is counted.
    private static func count(_ number: Int) -> String {
        let counted = ErasablePerson.counted
        return number > counted ? "more than \(Figures.count(counted))" : Figures.count(number)
    }
}
