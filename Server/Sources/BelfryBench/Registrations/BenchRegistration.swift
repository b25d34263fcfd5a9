import AsyncHTTPClient
import BelfryModel
import Foundation
import NIOCore

/// The prepared first registration of a device: a snapshot like that of a real phone.
struct BenchRegistration: Sendable {
    /// The attributes of the contacts, which the app must define.
    static let attributes: [String: AttributeType] = ["city": .string, "age": .number]
    private static let cities = ["Paris", "Lyon", "Berlin", "Hamburg", "Madrid", "Oslo", "Praha", "Porto"]
    private static let system = SystemProperties(
        timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "18.5", appVersion: "4.2.0",
        sdkVersion: "1.0.0", deviceModel: "iPhone16,1"
    )

    let device: BenchDevice
    let id: String
    let body: Data
    let madeAt: Date

    /// - Parameter number: the number from which the contact's city and age are made.
    init(of device: BenchDevice, number: Int, at date: Date, by encoder: JSONEncoder) throws {
        self.device = device
        id = UUID().uuidString
        madeAt = date
        body = try encoder.encode(
            RegistrationSnapshot(
                deviceId: device.id, registrationId: id, revision: 1, pushToken: Self.token(),
                pushProvider: .apns, pushEnvironment: .production, pushEnabled: true, osPushEnabled: true,
                attributes: [
                    "city": .string(Self.cities[number % Self.cities.count]), "age": .number(Double(18 + number % 60)),
                ],
                tags: ["news", "sports"], system: Self.system, lastOpenedAt: Timestamp.text(date)
            )
        )
    }

    /// The whole request as HTTP/1.1 text.
    ///
    /// - Parameter authority: `127.0.0.1:PORT`
    func text(to authority: String) -> Data {
        let head = device.head(of: "registration", to: authority, order: madeAt)
        return Data("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }

    /// - Parameter address: `http://127.0.0.1:PORT`
    func request(to address: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address + device.path(of: "registration"))
        request.method = .POST
        for (name, value) in device.headers(order: madeAt) { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }

    /// A random token of 64 hexadecimal digits, as APNs issues them.
    private static func token() -> String {
        (UUID().uuidString + UUID().uuidString).lowercased().filter { $0 != "-" }
    }
}

extension BenchRegistration {
    /// The encoder of the request bodies.
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return encoder
    }

    /// The first registrations of these devices.
    static func firsts(of devices: [BenchDevice]) throws -> [BenchRegistration] {
        let encoder = encoder()
        let now = Date()
        return try devices.enumerated().map { number, device in
            try BenchRegistration(of: device, number: number, at: now, by: encoder)
        }
    }
}
