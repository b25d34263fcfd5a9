import BelfryModel
import BelfryServices
import Foundation

/// What is typed to confirm an erasure: the key of the person. Where a page does not show it as it is, or a form does not
/// send it so, it is the contact's number: a browser takes line ends out of a field, and makes one blank of several.
struct ErasureProof: Hashable, Sendable {
    let text: String
    let isNumber: Bool

    init(_ person: ErasablePerson) {
        isNumber = !Self.isTypable(person.key)
        text = isNumber ? String(person.number) : person.key
    }

    /// Keys are stored in Unicode's composed form.
    func isGiven(by typed: String) -> Bool {
        NamingRule.composed(typed).isExactly(text)
    }

    var refusal: String {
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

/// The page before an erasure: what goes, and what to type.
struct ErasureModel: Sendable {
    let personTitle: String
    let personAddress: String
    let peopleAddress: String
    let eraseFormAddress: String
    let losses: [String]
    /// Whether the contact's number is to be typed, and not the key.
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

    /// `1,234`, or `more than 10,000`: no more are counted.
    private static func count(_ number: Int) -> String {
        let counted = ErasablePerson.counted
        return number > counted ? "more than \(Figures.count(counted))" : Figures.count(number)
    }
}
