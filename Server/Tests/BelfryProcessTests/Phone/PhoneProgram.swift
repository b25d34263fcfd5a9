import AsyncHTTPClient
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import NIOCore
import NIOHTTP1

/// A running `belfry phone`.
struct PhoneProgram: Sendable {
    let run: ProgramRun
    /// The address of the first phone.
    let address: String
    let http: HTTPCaller

    func phone(_ number: Int = 1) -> PhonePage {
        PhonePage(address: "\(address)/\(number)", http: http)
    }
}

/// One of its phones, used as its page does.
struct PhonePage: Sendable {
    private struct Action: Encodable {
        let `do`: String
        let name: String?
        let value: String?
        let on: Bool?
        let seconds: Double?
        let number: Int?
    }

    struct NothingSeen: Error {}

    let address: String
    let http: HTTPCaller

    private var origin: String { address.components(separatedBy: "/phone")[0] }

    func press(
        _ action: String, name: String? = nil, value: String? = nil, on: Bool? = nil, seconds: Double? = nil,
        number: Int? = nil
    ) async throws {
        let action = Action(do: action, name: name, value: value, on: on, seconds: seconds, number: number)
        let body = try JSONEncoder().encode(action)
        _ = try await http.call(.POST, "\(address)/actions", headers: [("Origin", origin)], body: body)
    }

    /// Opens the page, and closes it once it has shown everything.
    func look() async throws -> PhoneSight {
        let sight = try await eventually("the phone lets another page in") {
            try await shown()
        } until: {
            $0 != nil
        }
        guard let sight else { throw NothingSeen() }
        return sight
    }

    /// What the page shows; nil while too many pages show the phone: one that was closed may still count for a moment.
    private func shown() async throws -> PhoneSight? {
        let response = try await http.client.execute(
            HTTPClientRequest(url: "\(address)/live"), timeout: HTTPCaller.timeout
        )
        guard response.status != .tooManyRequests else { return nil }
        var stream = Data()
        for try await part in response.body {
            stream.append(contentsOf: part.readableBytesView)
            if let sight = try PhoneSight(stream: stream) { return sight }
        }
        throw NothingSeen()
    }

    /// Looks until it is so.
    @discardableResult
    func sees(_ what: String, _ condition: (PhoneSight) -> Bool) async throws -> PhoneSight {
        try await eventually("the phone shows that \(what)") {
            try await look()
        } until: {
            condition($0)
        }
    }

    /// Opens the app for the first time, with notifications allowed; returns the device's id once the server knows it.
    func begin(_ admin: AdminCaller) async throws -> String {
        try await press("open")
        try await press("ask")
        try await press("answer", on: true)
        let sight = try await sees("it is registered, with a push token") {
            $0.isRegistered && $0.says(of: "Push token").contains("The server has it")
        }
        guard let device = sight.device else { throw NothingSeen() }
        try await eventually("the device may get pushes") {
            try await admin.device(device)
        } until: {
            $0.push.eligible
        }
        return device
    }
}

extension Stage {
    /// Runs `belfry phone` beside the body.
    func withPhones(
        _ server: ServerProcess, _ services: PushServicesProcess? = nil, app: String = "shop",
        _ body: (PhoneProgram) async throws -> Void
    ) async throws {
        var arguments = [
            "phone", "--server", server.address, "--app", app, "--directory", folder.appending(path: "phones").path,
        ]
        if let services {
            arguments += ["--push-control", services.control, "--topic", PushServicesProcess.topic]
        }
        try await withProgram(arguments) { run in
            for await line in run.lines where line.hasPrefix("phone: ") {
                try await body(PhoneProgram(run: run, address: String(line.dropFirst("phone: ".count)), http: http))
                return
            }
            throw ServerDidNotStart(exit: await run.exit, standardError: run.standardError)
        }
    }

    /// A server with an app, push services that it knows, and phones.
    func withPhoneShop(_ body: (AdminCaller, PhoneProgram) async throws -> Void) async throws {
        try await withPushServices { services in
            try await withServer { server in
                let admin = self.admin(server)
                try await admin.prepareForPhones()
                _ = try await services.putCredentials(admin)
                try await withPhones(server, services) { try await body(admin, $0) }
            }
        }
    }
}

extension AdminCaller {
    /// The app, with what its phones say of a person.
    func prepareForPhones() async throws {
        try await createApp()
        _ = try await send(
            .PUT, path("attributes/city"), DefineAttributeRequest(type: .string), as: AttributeDefinition.self
        )
    }

    /// Launches a campaign and waits until it is sent.
    func launch(_ request: CampaignRequest) async throws -> CampaignResponse {
        let draft = try await send(.POST, path("campaigns"), request, as: CampaignStatusResponse.self)
        try await change(draft.id, "launch")
        return try await eventually("the campaign completes") {
            try await campaign(draft.id)
        } until: {
            $0.status == .completed
        }
    }

    /// A push to everybody.
    func push(_ title: String) async throws -> CampaignResponse {
        try await launch(
            CampaignRequest(
                name: title, kind: .push, audience: .everyone, push: PushContent(title: title, body: "From the shop.")
            )
        )
    }
}
