import BelfryServices

/// The page before an erasure: what goes, and the key to type.
struct ErasureModel: Sendable {
    let personTitle: String
    let personAddress: String
    let peopleAddress: String
    let eraseFormAddress: String
    let losses: [String]
    let typedKey: String
    let keyProblem: String?
    let formToken: String

    init(_ person: ErasablePerson, at place: PersonPlace, typed: String, problem: String?) {
        personTitle = person.key
        personAddress = place.person
        peopleAddress = place.list
        eraseFormAddress = "\(place.person)/erase"
        let many = person.events > ErasablePerson.countedEvents
        let events =
            many
            ? "more than \(Figures.count(ErasablePerson.countedEvents)) events"
            : Figures.count(person.events, "event", "events")
        losses = [
            "The contact with all its attributes, tags and former keys (\(Figures.count(person.aliases))).",
            "\(Figures.count(person.devices, "device", "devices")) with registrations, push tokens and badges. Each is told to delete its data, and is turned away from then on.",
            "The person's events: \(events).",
            "The person's messages in message centers: \(Figures.count(person.messages)), and in-app messages.",
            "The person's name in audiences and in the audit log. Figures of campaigns stay, without the person.",
        ]
        typedKey = typed
        keyProblem = problem
        formToken = place.formToken
    }
}
