import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation

@testable import Belfry

/// The calls of the app in a scenario.
extension ScenarioDevice {
    /// - Returns: the results of the call's setters, `accepted` or a code; empty for a call without.
    /// - Throws: a ``CodedFailure`` with the code of the SDK's error.
    func call(_ name: String, _ argument: JSONValue) async throws -> [String] {
        do {
            return try await made(name, argument)
        } catch let error as BelfryError {
            throw CodedFailure(code: error.code.description)
        } catch let error as MessageCenterError {
            throw CodedFailure(code: error.code.description)
        }
    }

    /// An error of the SDK.
    struct CodedFailure: Error {
        let code: String
    }

    private func made(_ name: String, _ argument: JSONValue) async throws -> [String] {
        switch name {
        case "background": try await client.didEnterBackground()
        case "foreground": try await client.didEnterForeground()
        case "flush": try await client.engine.lifecycle.requestFlush()
        case "track": try await track(argument)
        case "identify": return [Self.word(try await identify(argument))]
        case "logout": try await client.logout()
        case "edit": return try await edit(argument)
        case "setPushToken":
            return [Self.word(try await client.setPushToken(Self.text(argument), environment: .production))]
        case "removePushToken": return [Self.word(try await client.pushTokenRemoved())]
        case "setPushPermission": return [Self.word(try await client.setPushPermission(Self.bool(argument)))]
        case "receivePush": try await receive(argument)
        case "setTrackingEnabled": try await client.setTrackingEnabled(Self.bool(argument))
        case "wipe": try await client.wipe()
        case "setMessageCenterEnabled": try await client.setMessageCenterEnabled(Self.bool(argument))
        case "refreshMessages": try await client.refreshMessageCenters()
        case "readRichContent": return [try await client.richContent(for: Self.text(argument))]
        case "markRead": try await client.markRead(Self.text(argument))
        case "deleteMessage": try await client.delete(Self.text(argument))
        default: throw ScenarioError("there is no step '\(name)'")
        }
        return []
    }

    private static func text(_ value: JSONValue) throws -> String {
        guard let text = value.text else { throw ScenarioError("\(value) is no text") }
        return text
    }

    private static func bool(_ value: JSONValue) throws -> Bool {
        guard let bool = value.bool else { throw ScenarioError("\(value) is neither true nor false") }
        return bool
    }

    private static func word(_ result: EditResult) -> String {
        result.error?.code ?? "accepted"
    }

    private func track(_ argument: JSONValue) async throws {
        var fields = try Fields(argument, "track")
        let name = try fields.text("name")
        let attributes = (fields.take("attributes")?.object ?? [:]).compactMapValues { Self.value($0) }
        try fields.finish()
        try await client.track(name, attributes: attributes)
    }

    private static func value(_ json: JSONValue) -> AttributeValue? {
        switch json {
        case .boolean(let bool): .boolean(bool)
        case .number(let number): .number(number)
        case .string(let text): .string(text)
        case .null, .array, .object: nil
        }
    }

    private func identify(_ argument: JSONValue) async throws -> EditResult {
        var fields = try Fields(argument, "identify")
        let (key, field) = (fields.take("contactKey")?.text, fields.take("contactField")?.text)
        let (token, party) = (fields.take("openIDToken")?.text, fields.take("partyIdentifier"))
        try fields.finish()
        if let token { return try await client.identify(openIDToken: token) }
        if let party {
            let identifier = try JSONDecoder().decode(PartyIdentifier.self, from: JSONEncoder().encode(party))
            return try await client.identify(partyIdentifier: identifier)
        }
        guard let key else { throw ScenarioError("identify: nobody is named") }
        return try await client.identify(contactKey: key, contactField: field)
    }

    private func receive(_ payload: JSONValue) async throws {
        let alert: JSONValue = .object(["title": .string("Title"), "body": .string("Body")])
        let push: JSONValue = .object(["aps": .object(["alert": alert]), "belfry": payload])
        try await client.handlePush(ReceivedPush(json: JSONEncoder().encode(push)))
    }
}

// Edits of the record.
extension ScenarioDevice {
    private func edit(_ argument: JSONValue) async throws -> [String] {
        let setters = try (argument.array ?? []).map { setter -> (String, [JSONValue]) in
            guard let parts = setter.array, let name = parts.first?.text, Self.setters.contains(name) else {
                throw ScenarioError("\(setter) is no setter")
            }
            return (name, Array(parts.dropFirst()))
        }
        return try await client.edit { record in
            setters.map { Self.word(Self.apply($0.0, $0.1, to: &record)) }
        }
    }

    private static let setters: Set<String> = [
        "setContactKey", "setAttribute", "clearAttribute", "clearAllAttributes", "addTag", "removeTag", "removeAllTags",
        "setPushEnabled",
    ]

    private static func apply(_ setter: String, _ arguments: [JSONValue], to record: inout RecordEdit) -> EditResult {
        let first = arguments.first?.text
        return switch setter {
        case "setContactKey": record.setContactKey(first)
        case "setAttribute": record.setAttribute(first, to: arguments.last.flatMap { value($0) })
        case "clearAttribute": record.clearAttribute(first)
        case "clearAllAttributes": record.clearAllAttributes()
        case "addTag": record.addTag(first)
        case "removeTag": record.removeTag(first)
        case "removeAllTags": record.removeAllTags()
        default: record.setPushEnabled(arguments.first?.bool ?? true)
        }
    }
}

// What the app reads.
extension ScenarioDevice {
    func record() async throws -> JSONValue {
        let record = try await client.record()
        return .object([
            "contactKey": JSONValue(record.contactKey),
            "attributes": try JSONValue(encoding: record.attributes),
            "tags": .array(record.tags.map { .string($0) }),
            "pushEnabled": .boolean(record.pushEnabled),
        ])
    }

    /// Those of the primary message center.
    func messages() async throws -> JSONValue {
        let messages = try await client.messages()
        return .array(messages.map { .object(["id": .string($0.id), "state": .string($0.state.rawValue)]) })
    }
}
