import AsyncHTTPClient
import BelfryModel
import BelfrySimulators
import BelfryWire
import Foundation
import NIOCore

/// Devices that call the API directly: they are linked, send and fetch at a steady rate, and leave again.
actor SoakDevices {
    private struct Member {
        let device: BenchDevice
        let token: String
        var revision: Int64 = 0
    }

    private let app: BenchApp
    private let apns: APNsSimulator
    private let topic: String
    private let calls: SoakCalls
    private var members: [Member] = []
    private var random: SimulatorRandom
    private var events = 0
    /// The numbers of devices that have ever been linked and that have left.
    private(set) var arrivals = 0
    private(set) var departures = 0

    init(app: BenchApp, apns: APNsSimulator, topic: String, calls: SoakCalls, seed: UInt64) {
        self.app = app
        self.apns = apns
        self.topic = topic
        self.calls = calls
        random = SimulatorRandom(seed: seed)
    }

    /// Links this number of new devices.
    func arrive(_ count: Int) async throws {
        for device in try await app.link(count) {
            let token = apns.issueToken(topic: topic, environment: .production)
            var member = Member(device: device, token: token)
            let request = registration(of: &member)
            members.append(member)
            _ = try await app.http.answer(to: request)
            arrivals += 1
        }
    }

    /// The oldest device deletes its app: the push service learns of it, the server does not.
    func depart() throws {
        guard members.count > 1 else { return }
        let member = members.removeFirst()
        departures += 1
        try apns.setState(of: member.token, to: .unregistered(since: Date()))
    }

    /// Makes the next call.
    ///
    /// - Parameter due: when the call was due.
    func call(due: ContinuousClock.Instant) async {
        guard !members.isEmpty else { return }
        let place = Int.random(in: members.indices, using: &random)
        let action = SoakAction.chosen(by: Int.random(in: 0..<100, using: &random))
        let request = request(action, of: place)
        do {
            _ = try await app.http.answer(to: request)
            calls.add(action, milliseconds: due.duration(to: .now).inMilliseconds)
        } catch is CancellationError {
            return
        } catch {
            calls.addFailure(action, error)
        }
    }

    private func request(_ action: SoakAction, of place: Int) -> HTTPClientRequest {
        let device = members[place].device
        switch action {
        case .events: return post(eventBatch(1), to: "events", of: device)
        case .manyEvents: return post(eventBatch(30), to: "events", of: device)
        case .registration: return registration(of: &members[place])
        case .messageCenters: return fetch("client/message-centers", of: device)
        case .inAppSync: return fetch("client/in-app-messages", of: device)
        case .badge: return fetch("client/badge", of: device)
        case .inbox: return fetch("inbox", of: device)
        }
    }

    private func post(_ body: ByteBuffer, to call: String, of device: BenchDevice) -> HTTPClientRequest {
        device.post(body, to: call, at: app.server.address, order: Date())
    }

    private func fetch(_ path: String, of device: BenchDevice) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(app.server.address)/v3/apps/\(app.code)/\(path)")
        for (name, value) in device.bareHeaders(order: Date()) { request.headers.add(name: name, value: value) }
        return request
    }

    private func eventBatch(_ count: Int) -> ByteBuffer {
        let rest =
            #"","type":"custom","name":"looked","timestamp":"\#(Timestamp.text(Date()))","#
            + #""attributes":{"screen":"home","position":7}}"#
        let batch = (0..<count).map { #"{"id":"soak-\#(events + $0)\#(rest)"# }
        events += count
        return ByteBuffer(string: #"{"events":["# + batch.joined(separator: ",") + "]}")
    }

    /// The next revision of the device's record. Its city changes, so that audiences change too.
    private func registration(of member: inout Member) -> HTTPClientRequest {
        member.revision += 1
        let city = ["Paris", "Lyon", "Berlin", "Oslo"].randomElement(using: &random) ?? "Paris"
        let body =
            #"{"deviceId":"\#(member.device.id)","registrationId":"\#(UUID().uuidString)","#
            + #""revision":\#(member.revision),"pushEnabled":true,"osPushEnabled":true,"#
            + #""pushToken":"\#(member.token)","pushProvider":"apns","pushEnvironment":"production","#
            + #""attributes":{"city":"\#(city)"},"tags":["news"],"timeZone":"Europe/Paris","locale":"fr_FR","#
            + #""platform":"ios","osVersion":"18.5","appVersion":"4.2.0","sdkVersion":"1.0.0"}"#
        return post(ByteBuffer(string: body), to: "registration", of: member.device)
    }
}
