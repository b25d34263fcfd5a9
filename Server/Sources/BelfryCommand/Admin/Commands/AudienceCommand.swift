import ArgumentParser
import BelfryAPI

struct AudienceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audience", abstract: "Try an audience before you create a campaign for it.",
        subcommands: [Count.self, Sample.self]
    )

    struct Count: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count the devices in an audience. Nothing is saved or sent."
        )

        @OptionGroup var audience: AudienceArgument

        func run() async throws {
            let body = try audience.body()
            let answer: AudienceCountResponse = try await audience.admin.withClient { client in
                try await client.call(CampaignRoutes.countAudience, audience.app, json: body)
            }
            try audience.admin.show(answer) { "The audience has \(Quantity.text($0.devices, "device")) now." }
        }
    }

    struct Sample: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show some people of an audience, and the time zones of its devices. Nothing is saved or sent."
        )

        @OptionGroup var audience: AudienceArgument
        @Option(help: "An attribute to show of each person. May be repeated, up to 10.")
        var attribute: [String] = []

        func run() async throws {
            let body = try audience.body(attributes: attribute)
            let answer: AudienceSampleResponse = try await audience.admin.withClient { client in
                try await client.call(ComposingRoutes.sampleAudience, audience.app, json: body)
            }
            try audience.admin.show(answer) { $0.text(attribute) }
        }
    }
}

extension AudienceSampleResponse {
    fileprivate func text(_ attributes: [String]) -> String {
        guard !people.isEmpty else { return "The audience is empty now." }
        var table = TextTable("CONTACT", "DEVICE", "ATTRIBUTES")
        for person in people {
            let values = attributes.compactMap { name in person.attributes[name].map { "\(name)=\($0)" } }
            table.add(person.contactKey ?? "", person.deviceId, values.joined(separator: ", "))
        }
        var zones = TextTable("TIME ZONE", "DEVICES")
        for zone in timeZones { zones.add(zone.timeZone ?? "none", "\(zone.devices)") }
        return "\(table.text)\n\n\(zones.text)"
    }
}
