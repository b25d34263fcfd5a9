import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

/// Every field of an in-app message, as the description has it.
@Suite("Bad in-app messages, field by field")
struct InAppErrorTests {
    /// Fields without which the stage's message means nothing, though others can do without.
    private static let neededTogether: Set = [
        "inApp", "inApp.trigger", "inApp.content.action.url", "inApp.content.buttons",
    ]

    private static func fields() throws -> [SchemaField] {
        let schema = try #require(APIDescription.own.operation("createCampaign")?.body)
        let fields = APIDescription.own.fields(of: schema).filter { $0.path.first == "inApp" }
        #expect(fields.count > 30)
        return fields
    }

    private static func call(_ stage: CallStage) throws -> StagedCall {
        var call = try stage.call("createCampaign")
        call.body = try JSONValue(json: CallStage.inAppCampaign)
        return call
    }

    @Test("ADM-3: a value of the wrong type is a 400, one out of range a 422; both name the field")
    func wrongKinds() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields() {
                for value in field.wrongValues {
                    var call = try Self.call(stage)
                    call.body = call.body?.replacing(field.path, with: value)
                    let response = try await stage.send(call)
                    let isOutOfRange = value.optionalNumber.map {
                        field.types.contains("integer") && $0.rounded() == $0
                    }
                    #expect(
                        response.status.code == (isOutOfRange == true ? 422 : 400), "\(field.name) as \(value.text)")
                    let target = try response.json(ErrorBody.self).error.target
                    #expect(target == field.name, "\(field.name) as \(value.text)")
                }
            }
            #expect(try await stage.server.contents() == before)
        }
    }

    @Test(
        "WIRE-23, ADM-3: the error about a word outside of a closed list contains the list",
        arguments: [
            (["inApp", "type"], "modal, full, bannerTop, bannerBottom, fullImage, inline, html, action"),
            (["inApp", "content", "layout"], "imageTitleBody, titleImageBody"),
            (["inApp", "content", "action", "type"], "close, openUrl, event, pushSettings"),
        ])
    func closedLists(path: [String], allowed: String) async throws {
        try await CallStage.run { stage in
            var call = try Self.call(stage)
            call.body = call.body?.replacing(path, with: try JSONValue(json: #""popup""#))
            let error = try await stage.send(call).json(ErrorBody.self).error
            #expect(error.target == path.joined(separator: "."))
            #expect(error.message.hasSuffix("expected one of \(allowed)"), "\(error.message)")
        }
    }

    @Test("ADM-3: null counts as absent; a missing required field is named")
    func nulls() async throws {
        try await CallStage.run { stage in
            for field in try Self.fields() where !Self.neededTogether.contains(field.name) {
                var call = try Self.call(stage)
                call.body = call.body?.replacing(field.path, with: .null)
                let response = try await stage.send(call)
                if field.isRequired {
                    #expect(response.status == .badRequest, "\(field.name)")
                    let target = try response.json(ErrorBody.self).error.target
                    #expect(target == field.name)
                } else {
                    #expect(call.successes.contains(response.status.code), "\(field.name): \(response.text)")
                }
            }
        }
    }

    @Test("ADM-3: an unknown field is refused by name, wherever it is")
    func unknown() async throws {
        try await CallStage.run { stage in
            let before = try await stage.server.contents()
            for field in try Self.fields() where field.schema["properties"] != nil {
                #expect(field.schema["additionalProperties"] == .boolean(false), "\(field.name)")
                var call = try Self.call(stage)
                call.body = call.body?.replacing(field.path + ["nobodyKnows"], with: .number(1))
                let response = try await stage.send(call)
                let name = "\(field.name).nobodyKnows"
                try expectError(response, .unprocessableContent, "notSupported", target: name, "\(name)")
            }
            #expect(try await stage.server.contents() == before)
        }
    }
}
