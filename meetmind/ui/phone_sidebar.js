// On a phone the sidebar lies over the page. It is closed when the page is loaded, whatever the
// browser remembers, and whenever a page or a discussion was chosen in it.
(() => {
  const choices =
    '[data-testid="stSidebarNavLink"], .st-key-new_discussion button, .st-key-sidebar_list [data-testid="stButton"] button';
  const isPhone = () => window.innerWidth <= 768;
  const close = () => {
    const sidebar = document.querySelector('[data-testid="stSidebar"][data-collapsed="false"]');
    sidebar?.querySelector('[data-testid="stSidebarCollapseButton"] button')?.click();
  };
  if (window.meetmindPhoneSidebar) return;
  window.meetmindPhoneSidebar = true;
  if (isPhone()) close();
  document.addEventListener("click", (event) => {
    if (isPhone() && event.target.closest(choices)) setTimeout(close, 150);
  });
})();
