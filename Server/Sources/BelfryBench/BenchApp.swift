import AsyncHTTPClient
import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryWire
import Foundation

/// An app for a benchmark, which links devices.
struct BenchApp: Sendable {
    let code: String
    let server: BenchServer
    let http: BenchHTTP

    /// Creates the app and defines its attributes.
    static func make(
        _ code: String, attributes: [String: AttributeType] = [:], on server: BenchServer, over http: BenchHTTP
    ) async throws -> BenchApp {
        _ = try await server.admin.call(AppRoutes.createApp, body: CreateAppRequest(code: code, name: code))
        for (name, type) in attributes {
            _ = try await server.admin.call(
                AttributeRoutes.defineAttribute, code, name, body: DefineAttributeRequest(type: type)
            )
        }
        return BenchApp(code: code, server: server, http: http)
    }

    /// Links this number of new devices, each to an anonymous contact of its own, many at a time.
    func link(_ count: Int) async throws -> [BenchDevice] {
        try await withThrowingTaskGroup(of: BenchDevice.self, returning: [BenchDevice].self) { group in
            var devices: [BenchDevice] = []
            devices.reserveCapacity(count)
            for number in 0..<count {
                if number >= BenchHTTP.width, let device = try await group.next() { devices.append(device) }
                group.addTask { try await linkedDevice() }
            }
            for try await device in group { devices.append(device) }
            return devices
        }
    }

    /// Links a new device.
    func linkedDevice() async throws -> BenchDevice {
        let id = UUID().uuidString
        var request = HTTPClientRequest(url: "\(server.address)/v3/apps/\(code)/client/contact?anonymous=true")
        request.method = .POST
        request.headers.add(name: HeaderNames.clientID, value: id)
        request.headers.add(name: HeaderNames.requestOrder, value: "\(Date().milliseconds)")
        let (response, body) = try await http.answer(to: request)
        let link = try CheckedJSON.decode(ContactLinkResponse.self, from: body)
        return BenchDevice(
            app: code, id: id, contactToken: link.contactToken,
            clientState: response.headers.first(name: HeaderNames.clientState)
        )
    }
}
