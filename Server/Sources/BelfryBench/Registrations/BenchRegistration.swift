import AsyncHTTPClient
import BelfryModel
import Foundation
import NIOCore

/// The first registration of a device, ready to be sent: a snapshot such as a phone in use sends.
struct BenchRegistration: Sendable {
    /// The attributes of its contact, which the app has to define.
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

    /// - Parameter number: gives the contact its city and age.
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

    /// The whole request as HTTP writes it.
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

    /// 64 hexadecimal digits, as APNs gives them.
    private static func token() -> String {
        (UUID().uuidString + UUID().uuidString).lowercased().filter { $0 != "-" }
    }
}

extension BenchRegistration {
    /// What writes its body.
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
