import BelfryModel

extension OpenAPI {
    static let appSchemas: [String: Schema] = [
        "CreateAppRequest": .object(["code": .reference("AppCode"), "name": .string(1...200)]),
        "CreateAppAnswer": .object([
            "code": .reference("AppCode"),
            "name": .string(),
            "apiKey": .string().described("An admin key for this app, shown this once; it never belongs in an app."),
        ]),
        "AppListAnswer": .object(
            ["apps": .list(of: .object(["code": .reference("AppCode"), "name": .string()]))],
            optional: ["cursor": cursor]
        ),
        "AttributeType": .word(AttributeType.allCases.map(\.rawValue)),
        "DefineAttributeRequest": .object(["type": .reference("AttributeType")]),
        "AttributeAnswer": .object(["key": .string(), "type": .reference("AttributeType")]),
        "AttributeListAnswer": .object(["attributes": .list(of: .reference("AttributeAnswer"))]),
    ]
}
