import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct TemplateDeliveryTests {
    /// A device with a contact that has these attributes.
    private static func register(
        _ number: Int, _ attributes: [String: AttributeValue], locale: String? = nil, on world: ServiceWorld
    ) async throws -> ServiceDevice {
        var device = try await ServiceDevice.started(world, number)
        try await device.register {
            $0.contactKey = "person\(number)"
            $0.pushToken = "token\(number)"
            $0.attributes = attributes
            $0.locale = locale
        }
        try await world.process()
        return device
    }

    private static func alert(of token: String, in world: ServiceWorld) throws -> [String: String] {
        let request = try #require(world.transport.requests(for: token).first)
        let body = try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
        let aps = try #require(body?["aps"] as? [String: Any])
        return try #require(aps["alert"] as? [String: String])
    }

    @Test("CAMP-4: each recipient gets their own texts; one without a value is suppressed with the reason")
    func ownTexts() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        _ = try await Self.register(1, ["firstName": .string("Zoë \"Z\" \\ {{city}}")], on: world)
        let nameless = try await Self.register(2, [:], on: world)
        let id = try await world.launch(
            push: PushContent(title: "Hello {{firstName}}", body: "{{#firstName}}Yours{{/firstName}} {{contact.key}}")
        )
        try await world.sendToTheEnd()
        let alert = try Self.alert(of: "token1", in: world)
        #expect(alert["title"] == "Hello Zoë \"Z\" \\ {{city}}" && alert["body"] == "Yours person1")
        let row = try await world.delivery(id, nameless)
        #expect(row?.state == .suppressed && row?.reason?.rawValue == "renderError")
        let explanation = try await world.explainer.explain(id, device: nameless.client.rawValue, app: world.app)
        #expect(explanation.sentence.contains("firstName"))
    }

    @Test("CAMP-6: a device gets the variant of its language, with its own texts")
    func variants() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("firstName", type: .string, app: world.app)
        for (number, locale) in [(1, "fr_CA"), (2, "de-DE"), (3, nil)] as [(Int, String?)] {
            _ = try await Self.register(number, ["firstName": .string("N\(number)")], locale: locale, on: world)
        }
        var content = PushContent(title: "Hello", body: "for {{firstName}}")
        content.variants = [
            "fr": PushVariant(title: "Bonjour", body: "pour {{firstName}}"),
            "de": PushVariant(body: "aus {{device.locale}} für {{firstName}}"),
        ]
        _ = try await world.launch(push: content)
        try await world.sendToTheEnd()
        #expect(try Self.alert(of: "token1", in: world) == ["title": "Bonjour", "body": "pour N1"])
        #expect(try Self.alert(of: "token2", in: world) == ["title": "Hello", "body": "aus de-DE für N2"])
        #expect(try Self.alert(of: "token3", in: world) == ["title": "Hello", "body": "for N3"])
    }

    @Test("CAMP-4, PUSH-1: texts that make the payload too large for one recipient reject that one alone")
    func tooLarge() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("story", type: .string, app: world.app)
        let long = try await Self.register(1, ["story": .string(String(repeating: "é", count: 2_000))], on: world)
        let short = try await Self.register(2, ["story": .string("short")], on: world)
        let id = try await world.launch(push: PushContent(title: "Story", body: "{{story}}"))
        try await world.sendToTheEnd()
        #expect(try await world.delivery(id, long)?.reason?.rawValue == "payloadTooLarge")
        #expect(try await world.delivery(id, short)?.state == .accepted)
        #expect(world.transport.requests.count == 1)
    }

    @Test("SEC-2, PUSH-5: of recipients with long values a round takes some, and the next ones send to the rest")
    func longValues() async throws {
        let world = try await ServiceWorld(isOneShard: true)
        let names = (0..<10).map { "story\($0)" }
        for name in names { try await world.apps.defineAttribute(name, type: .string, app: world.app) }
        let long = AttributeValue.string(String(repeating: "a", count: 16_000))
        let attributes = Dictionary(names.map { ($0, long) }) { first, _ in first }
        for number in 1...30 { _ = try await Self.register(number, attributes, on: world) }
        world.transport.hold()
        let texts = names.map { name in "{{#\(name)}}a{{/\(name)}}" }
        let id = try await world.launch(push: PushContent(title: "Stories", body: texts.joined()))
        // 4 MiB of the 160,000 bytes that each has.
        let first = 27
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await world.dispatcher("a").runUntilIdle() }
            await world.transport.received(first)
            #expect(world.transport.requests.count == first)
            world.transport.release()
        }
        #expect(try await world.counts(id).accepted == 30)
        #expect(world.transport.requests.count == 30)
        #expect(try await world.campaign(id).status == .completed)
    }
}
