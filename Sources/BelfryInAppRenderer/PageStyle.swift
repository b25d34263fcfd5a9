import BelfryModel

/// The style of a page. Text sizes are in `rem`, which follows the person's text size: on Apple's systems by the font
/// `-apple-system-body`, elsewhere by the browser's.
enum PageStyle {
    static func text(of type: InAppType) -> String {
        let own =
            switch type {
            case .modal: modal
            case .full: full
            case .bannerTop, .bannerBottom: banner
            case .fullImage: fullImage
            case .inline: inline
            case .html: html
            case .action: ""
            }
        let parts = type == .modal || type == .full ? [common, own, beside, motion] : [common, own, motion]
        return parts.joined(separator: "\n")
    }

    /// The default style of a marketer's own page; the page's own style overrides it.
    static let frame = """
        html{font-family:system-ui,sans-serif;-webkit-text-size-adjust:100%}\
        @supports(font:-apple-system-body){html{font:-apple-system-body}}
        """

    /// Larger texts, for a preview: everything that is measured in `rem` follows. Empty for the usual size.
    static func scale(_ percent: Int) -> String {
        percent == 100 ? "" : "html{font-size:\(percent)%!important}"
    }

    private static let common = """
        *{box-sizing:border-box;margin:0}
        html{height:100%;font:100% system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
        -webkit-text-size-adjust:100%}
        @supports(font:-apple-system-body){html{font:-apple-system-body}}
        body{height:100%;display:flex;justify-content:center;overflow:hidden;line-height:1.45;color:var(--fg);\
        background:transparent;-webkit-tap-highlight-color:transparent;\
        padding:max(var(--gap,0px),env(safe-area-inset-top)) max(var(--gap,0px),env(safe-area-inset-right)) \
        max(var(--gap,0px),env(safe-area-inset-bottom)) max(var(--gap,0px),env(safe-area-inset-left))}
        [hidden]{display:none!important}
        .card{position:relative;display:flex;flex-direction:column;width:100%;max-height:100%;overflow:hidden;\
        background:var(--bg)}
        .card:focus{outline:none}
        .main{flex:0 9999 auto;min-height:0;overflow:auto;overscroll-behavior:contain}
        .text{padding:24px 24px 0;text-align:center}
        .prose{text-align:start}
        h1{font-size:1.375rem;line-height:1.25;font-weight:700;letter-spacing:-.01em;text-wrap:balance}
        p{font-size:1rem;text-wrap:pretty}
        h1,p{overflow-wrap:anywhere;white-space:pre-line}
        h1+p{margin-top:8px}
        figure{position:relative}
        img{display:block;width:100%;height:auto;object-fit:contain}
        figure.lost{padding:24px 24px 0;text-align:center;font-style:italic}
        .foot{flex:0 1 auto;min-height:0;overflow:auto;display:flex;flex-wrap:wrap;gap:10px;padding:24px}
        .over .foot{box-shadow:0 -1px rgba(128,128,128,.35)}
        .main:last-child{padding-bottom:24px}
        button{font:inherit;color:inherit;border:0;background:none;cursor:pointer;touch-action:manipulation}
        .b{position:relative;flex:1 1 auto;min-width:min(100%,8.5rem);max-width:100%;min-height:48px;\
        padding:.7rem 1rem;border:1.5px solid rgba(128,128,128,.75);border-radius:14px;font-weight:600;line-height:1.25;\
        overflow-wrap:anywhere}
        .b:first-child{background:var(--btn);color:var(--btx);border-color:transparent}
        .stack>.b{flex-basis:100%}
        .b:active{opacity:.7}
        .tap{position:absolute;inset:0;width:100%;height:100%;z-index:1}
        .foot{position:relative;z-index:2}
        .close{position:absolute;z-index:3;inset-inline-end:4px;top:4px;width:44px;height:44px;padding:0;display:grid;\
        place-items:center}
        .close::before{content:"";position:absolute;inset:7px;border-radius:50%;background:rgba(120,120,128,.18)}
        .close svg{position:relative;width:14px;height:14px;fill:none;stroke:currentColor;stroke-width:2;\
        stroke-linecap:round}
        .pic>.close{color:#fff}
        .pic>.close::before{background:rgba(0,0,0,.6)}
        .card:not(.pic) .text:first-child>:first-child{padding-inline:32px}
        :focus-visible{outline:3px solid var(--fg);outline-offset:2px}
        .tap:focus-visible{outline-offset:-6px}
        .pic .tap:focus-visible,.pic>.close:focus-visible{outline-color:#fff;box-shadow:0 0 0 6px rgba(0,0,0,.7)}
        """

    private static let modal = """
        body{--gap:20px;align-items:center;background:rgba(0,0,0,.5)}
        .card{max-width:26rem;border-radius:24px;box-shadow:0 16px 48px rgba(0,0,0,.28);animation:rise .28s ease-out}
        img{max-height:42vh}
        .text+figure{margin:20px 24px 0}
        .text+figure img{border-radius:12px}
        .foot{flex:none;max-height:50vh}
        .only{width:auto}
        .only .main:last-child{padding-bottom:0}
        .only img{width:auto;max-width:100%;max-height:76vh;margin:auto}
        @media(max-height:480px) and (min-width:560px){.card{max-width:42rem}}
        @keyframes rise{from{opacity:0;transform:translateY(16px) scale(.97)}}
        """

    private static let full = """
        body{background:var(--bg)}
        .card{height:100%;animation:rise .3s ease-out}
        .main{flex:1 9999 auto;display:flex;flex-direction:column}
        .main::after,.card:not(.pic) .main::before{content:"";flex:1 0 0}
        .main>*{flex:none;width:100%}
        .text,.foot,.text+figure{max-width:36rem;margin-inline:auto}
        .foot{flex:none;width:100%;max-height:50vh}
        .text{padding-top:32px}
        .card:not(.pic) .text:first-child{padding-top:56px}
        .card:not(.pic) .text:first-child>:first-child{padding-inline:0}
        h1{font-size:1.75rem;line-height:1.2}
        p{font-size:1.0625rem}
        img{max-height:50vh}
        .text+figure{padding:24px 24px 0}
        .text+figure img{border-radius:16px}
        @keyframes rise{from{opacity:0;transform:translateY(24px)}}
        """

    /// On a phone in landscape the image is next to the text.
    private static let beside = """
        @media(max-height:480px) and (min-width:560px){
        .pic:not(.only) .main{display:flex;flex-direction:row;align-items:flex-start}
        .pic .main::before,.pic .main::after{display:none}
        .pic:not(.only) figure{flex:0 0 42%;margin-block:auto;padding:24px 0 0;padding-inline-start:24px}
        .pic:not(.only) img{max-height:50vh;border-radius:12px}
        .pic .text{flex:1;min-width:0;max-width:none;margin-block:auto;padding-inline-end:56px}
        .stack>.b{flex-basis:40%}}
        """

    private static let banner = """
        body{--gap:8px;align-items:flex-start}
        body.bannerBottom{align-items:flex-end}
        .card{max-width:36rem;border-radius:20px;box-shadow:0 4px 20px rgba(0,0,0,.2),0 0 0 1px rgba(128,128,128,.2);\
        touch-action:pan-x;user-select:none;-webkit-user-select:none;animation:slide .3s ease-out}
        .card.over{touch-action:auto}
        .main{display:flex;gap:12px;align-items:flex-start;padding:14px}
        .main:last-child{padding-bottom:14px}
        figure{flex:none;width:56px}
        img{width:56px;height:56px;object-fit:cover;border-radius:12px}
        figure.lost{display:none}
        .text{flex:1;min-width:0;min-height:56px;padding:0;text-align:start;display:flex;flex-direction:column;\
        justify-content:center;padding-inline-end:34px}
        .card .text:first-child>:first-child{padding-inline:0!important}
        h1{font-size:1rem}
        h1+p{margin-top:2px}
        p{font-size:.9375rem;line-height:1.35}
        .foot{padding:0 14px 14px;gap:8px}
        .stack>.b{flex-basis:auto}
        .b{min-height:44px;padding:.5rem .9rem;border-radius:12px}
        .pic>.close{color:inherit}
        .pic>.close::before{background:rgba(120,120,128,.18)}
        .pic .tap:focus-visible,.pic>.close:focus-visible{outline-color:var(--fg);box-shadow:none}
        @keyframes slide{from{opacity:0;transform:translateY(-24px)}}
        .bannerBottom .card{animation-name:up}
        @keyframes up{from{opacity:0;transform:translateY(24px)}}
        """

    private static let fullImage = """
        .card{height:100%;justify-content:flex-end;animation:rise .3s ease-out}
        body{padding:0;background:var(--bg)}
        figure{position:absolute;inset:0}
        figure img{width:100%;height:100%;object-fit:cover}
        .card:not(.pic){justify-content:center;padding:56px 0 0}
        .card:not(.pic) .panel{box-shadow:none;max-height:100%}
        figure.lost{position:relative;inset:auto;padding:24px;font-style:normal;font-size:1.125rem}
        .close{top:max(4px,env(safe-area-inset-top));inset-inline-end:max(4px,env(safe-area-inset-right))}
        .panel{position:relative;z-index:2;display:flex;flex-direction:column;min-height:0;align-self:center;\
        width:calc(100% - 32px);max-width:30rem;max-height:75%;overflow:auto;background:var(--bg);border-radius:24px;\
        margin:0 16px max(16px,env(safe-area-inset-bottom));box-shadow:0 8px 32px rgba(0,0,0,.3)}
        .panel>*{flex:none;overflow:visible;max-height:none;box-shadow:none}
        .panel.bare{background:none;box-shadow:none;border-radius:0}
        .panel.bare .foot{padding:8px}
        .panel.bare .b:not(:first-child){background:var(--bg)}
        .panel .text:first-child>:first-child{padding-inline:0!important}
        .foot{padding-top:20px}
        @keyframes rise{from{opacity:0}}
        """

    private static let inline = """
        html,body{height:auto}
        body{display:block}
        .card{max-height:none;border-radius:20px}
        .main,.foot{overflow:visible}
        .text{padding:20px 20px 0;text-align:start}
        .card:not(.pic) .text:first-child>:first-child{padding-inline:0}
        .text+figure{margin:16px 20px 0}
        .text+figure img{border-radius:12px}
        h1{font-size:1.25rem}
        .foot{padding:16px 20px 20px}
        .b{max-width:min(100%,24rem)}
        .main:last-child{padding-bottom:20px}
        .main:last-child>figure:last-child{margin-bottom:-20px}
        .card:has(>iframe){background:none;border-radius:0}
        iframe{display:block;width:100%;border:0;height:0}
        """

    private static let html = """
        body{padding:0}
        .card{height:100%;background:none}
        iframe{display:block;width:100%;height:100%;border:0}
        .close{top:max(4px,env(safe-area-inset-top));inset-inline-end:max(4px,env(safe-area-inset-right));color:#fff}
        .close::before{background:rgba(0,0,0,.6)}
        .close:focus-visible{outline-color:#fff;box-shadow:0 0 0 6px rgba(0,0,0,.7)}
        """

    private static let motion = """
        @media(prefers-reduced-motion:reduce){*{animation:none!important;transition:none!important}}
        @media(forced-colors:active){.b,.card{border:1px solid}.close::before{border:1px solid}}
        """
}
