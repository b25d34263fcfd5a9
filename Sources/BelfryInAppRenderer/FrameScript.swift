/// The script in front of a marketer's own page, inside its frame: it reports presses to the surrounding page. Nothing
/// navigates.
///
/// It offers these functions to a script of the marketer's, if one may run: `belfry.close()`, `belfry.click(id)`,
/// `belfry.event(name, attributes)`, `belfry.openLink(url)` and `belfry.pushSettings()`.
enum FrameScript {
    static let text = """
        (function(){
        'use strict';
        if(window.belfry)return;
        var d=document,host=parent,heights=0,last=-1;
        function say(c,f){f=f||{};f.command=c;host.postMessage({belfry:f},'*');}
        \(commands)
        \(links)
        \(pressing)
        \(measuring)
        })();
        """

    /// One press counts once, whatever it leads to: the first command in a turn of the page's loop is the click.
    private static let commands = """
        var pressed=false;
        function first(){var is=!pressed;
        if(is){pressed=true;setTimeout(function(){pressed=false;},0);}
        return is;}
        var api={close:function(how){say('close',{how:how==='button'?how:'close'});},
        click:function(id){first();say('click',{id:String(id)});},
        event:function(name,attributes){say('event',{name:String(name),attributes:attributes||{}});},
        openLink:function(url){var u=address(url);if(u)say('openLink',{url:u,counts:first()});},
        pushSettings:function(){say('pushSettings',{counts:first()});}};
        Object.defineProperty(window,'belfry',{value:Object.freeze(api)});
        """

    /// An address as a browser reads it, so that blanks and upper case cannot hide its scheme.
    private static let links = """
        function address(u){try{return new URL(String(u)).href;}catch(x){return null;}}
        function follow(h,closes){if(!h)return false;h=h.trim();
        if(h[0]==='#'){var t=h.length>1&&d.getElementById(decodeURIComponent(h.slice(1)));
        if(t)t.scrollIntoView();return false;}
        var u=address(h);if(u&&!/^(about|blob|data|file|filesystem|javascript|vbscript|view-source):/.test(u)){
        say('openLink',{url:u,closes:closes,counts:first()});return true;}
        return false;}
        """

    private static let pressing = """
        var marks='[data-belfry-button],[data-belfry-close],[data-belfry-event],[data-belfry-push-settings]';
        function press(e){var t=e.target&&e.target.closest?e.target:null;if(!t)return;
        var l=t.closest('a,area'),m=t.closest(marks),go=false;
        if(l)e.preventDefault();
        function a(n){return m.getAttribute('data-belfry-'+n);}
        if(m){if(a('button'))api.click(a('button'));
        if(a('event')){var v={};try{v=JSON.parse(a('attributes')||'{}');}catch(x){}api.event(a('event'),v);}
        if(m.hasAttribute('data-belfry-push-settings'))api.pushSettings();}
        var ends=!!m&&m.hasAttribute('data-belfry-close');
        if(l)go=follow(l.getAttribute('href')||l.getAttributeNS('http://www.w3.org/1999/xlink','href'),\
        !ends&&!l.closest('[data-belfry-keep]'));
        if(ends)api.close(a('button')||go?'button':'close');}
        addEventListener('click',press,true);
        addEventListener('auxclick',function(e){if(e.target.closest&&e.target.closest('a,area'))e.preventDefault();},true);
        addEventListener('submit',function(e){e.preventDefault();},true);
        var stops='a[href],button,input,select,textarea,[tabindex="0"]';
        function list(){return Array.prototype.filter.call(d.querySelectorAll(stops),\
        function(e){return !e.disabled&&e.getClientRects().length>0;});}
        addEventListener('keydown',function(e){
        if(e.key==='Escape')api.close('close');
        if((e.key==='Enter'||e.key===' ')&&e.target.getAttribute&&e.target.getAttribute('data-belfry-made')!==null){
        e.preventDefault();e.target.click();}
        if(e.key==='Tab'){var s=list(),a=d.activeElement;
        if(!s.length||a===(e.shiftKey?s[0]:s[s.length-1])){e.preventDefault();say('tab',{back:e.shiftKey});}}},true);
        addEventListener('message',function(e){if(e.source!==host||!e.data||!e.data.belfryEnter)return;
        var s=list();if(s.length)s[e.data.belfryEnter==='last'?s.length-1:0].focus();});
        """

    /// A page whose height depends on its own frame is told to stop growing. Whether it has its own close button is
    /// reported as soon as it is read, and again once its images have loaded, so that an image that never loads delays
    /// nothing.
    private static let measuring = """
        function measure(){var b=d.body;if(!b)return;
        var s=getComputedStyle(b),h=Math.ceil(b.offsetHeight+parseFloat(s.marginTop)+parseFloat(s.marginBottom));
        if(h!==last&&heights<100){last=h;heights++;say('height',{height:h});}}
        d.addEventListener('DOMContentLoaded',function(){
        d.querySelectorAll(marks).forEach(function(m){if(m.matches('a[href],button,input'))return;
        m.setAttribute('data-belfry-made','');if(!m.hasAttribute('role'))m.setAttribute('role','button');
        if(!m.hasAttribute('tabindex'))m.tabIndex=0;});
        if(window.ResizeObserver)new ResizeObserver(measure).observe(d.body);measure();stand();});
        function stand(){var c=Array.prototype.some.call(d.querySelectorAll('[data-belfry-close]'),\
        function(e){return e.getClientRects().length>0;});
        say('ready',{closes:c,calls:/belfry\\.close\\s*\\(/.test(d.documentElement.innerHTML),title:d.title});}
        addEventListener('load',function(){measure();stand();});
        """
}
